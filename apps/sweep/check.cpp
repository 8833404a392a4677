#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/text.h"
#include "sweep/prereg/prereg.h"
#include "verb.h"

namespace sweep {
namespace {

std::size_t cells_of(const Prereg& prereg) {
  std::size_t cells = prereg.arms.size();
  for (const auto& factor : prereg.grid) cells *= factor.levels.size();
  return cells;
}

int run(const Arguments& arguments) {
  const std::filesystem::path file = arguments.positional.front();
  const std::string text = read_file(file);
  const ParsedPrereg parsed = parse_prereg(text, file);
  for (const auto& open : parsed.placeholders) {
    fmt::print("{}:{}:{}: undecided: {}\n", file.string(), open.line, open.column, open.key);
  }
  if (!parsed.problems.empty()) {
    fail(ExitCode::kBadInput, "{} in {}\n{}", count_of(parsed.problems.size(), "problem"),
         file.string(), render_problems(parsed.problems, text, file));
  }
  const Prereg& prereg = parsed.prereg;
  fmt::print("{}: well formed; {} cells x {} = {}\n", file.string(), cells_of(prereg),
             count_of(prereg.seeds.size(), "seed"),
             count_of(cells_of(prereg) * prereg.seeds.size(), "run"));
  if (!parsed.placeholders.empty()) {
    fmt::print("'sweep run' will refuse it until the undecided places are filled in\n");
  }
  return 0;
}

}  // namespace

const Verb& check_verb() {
  static const Verb verb{"check",
                         "FILE",
                         "read a pre-registration and report every problem",
                         "Undecided places ('[ ]', TODO, '?') are listed; only 'run' refuses them.",
                         1,
                         1,
                         [](po::options_description&) {},
                         &run};
  return verb;
}

}  // namespace sweep
