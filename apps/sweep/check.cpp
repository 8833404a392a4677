#include <boost/program_options/value_semantic.hpp>

#include "admission.h"
#include "reporting.h"
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

std::string document_of(const SweepDir& sweep) {
  const Registration r = read_registration(sweep);
  return registration_markdown({r.prereg, {}, &r.lock, history_of(sweep, r)});
}

bool wants_document(const Arguments& arguments) {
  const auto format = arguments.get<std::string>("format");
  if (format != "text" && format != "md") {
    fail(ExitCode::kBadInput, "sweep check: --format {}: text or md", format);
  }
  return format == "md";
}

int run(const Arguments& arguments) {
  const bool document = wants_document(arguments);
  const std::filesystem::path file = arguments.positional.front();
  if (document && std::filesystem::is_directory(file)) {
    fmt::print("{}", document_of(find_sweep(file)));
    return 0;
  }
  const std::string text = read_file(file);
  const ParsedPrereg parsed = parse_prereg(text, file);
  if (document && parsed.problems.empty()) {
    fmt::print("{}", registration_markdown({parsed.prereg, parsed.placeholders}));
    return 0;
  }
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
  if (const auto more = count_robustness_runs(prereg); more > 0) {
    fmt::print("and {} of the robustness block, run last and reported apart\n",
               count_of(more, "run"));
  }
  if (!parsed.placeholders.empty()) {
    fmt::print("'sweep run' will refuse it until the undecided places are filled in\n");
    return 0;
  }
  check_admission(prereg, arguments);
  return 0;
}

}  // namespace

const Verb& check_verb() {
  static const Verb verb{
      "check",
      "FILE",
      "read a pre-registration and report every problem",
      "Undecided places ('[ ]', TODO, '?') are listed; only 'run' and 'register' refuse them. "
      "Every\n"
      "hypothesis must be able to come out supported, contradicted and inconclusive under this\n"
      "very plan; a gate that the plan does not pass is refused (exit status 2) unless the file\n"
      "sets it aside with a reason (gates: {override: {NAME: REASON}}).\n"
      "--format md prints the registration as a document to be read and signed; FILE may then be\n"
      "the folder of a sweep, whose amendments stand in it.",
      1,
      1,
      [](po::options_description& options) {
        options.add_options()("format", po::value<std::string>()->default_value("text"),
                              "text, or md: the registration as a document");
        add_explain_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
