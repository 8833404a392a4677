#include <unistd.h>

#include <boost/program_options/value_semantic.hpp>
#include <cerrno>
#include <cstring>

#include "sweep/base/error.h"
#include "trainer.h"
#include "verb.h"

namespace sweep {
namespace {

/// The trainer does the timing; this process becomes it, so that nothing runs beside it.
int run(const Arguments& arguments) {
  std::vector<std::string> words = {trainer_path().string(), "--bench", "B"};
  if (!arguments.positional.empty()) words.back() = arguments.positional.front();
  for (const char* option : {"threads", "seconds", "qk-norm"}) {
    words.push_back(std::string("--") + option);
    words.push_back(arguments.get<std::string>(option));
  }
  if (arguments.has("json")) words.emplace_back("--json");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  fail(ExitCode::kResources, "cannot start {}: {}", words[0], std::strerror(errno));
}

}  // namespace

const Verb& bench_verb() {
  static const Verb verb{
      "bench",
      "[S|B|C|A]",
      "tokens per second of one training process",
      "S, B, C and A are fixed shapes (docs/definitions.md); B is the default.",
      0,
      1,
      [](po::options_description& options) {
        options.add_options()("threads", po::value<std::string>()->default_value("1"),
                              "threads of the process");
        options.add_options()("seconds", po::value<std::string>()->default_value("10"),
                              "how long to train");
        options.add_options()("qk-norm", po::value<std::string>()->default_value("none"),
                              "the QK-norm variant");
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
