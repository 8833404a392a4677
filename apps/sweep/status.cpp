#include "sweep/queue/status.h"

#include <unistd.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>

#include "output.h"
#include "sweep/base/error.h"
#include "verb.h"

namespace sweep {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";
constexpr unsigned kWatchSeconds = 2;

void print_once(const SweepStatus& status, const Arguments& arguments) {
  if (arguments.has("json")) {
    fmt::print("{}", to_text(to_json(status)));
  } else {
    fmt::print(
        "{}", render_status(status, terminal_columns(),
                            use_color(STDOUT_FILENO, color_choice(arguments)), std::time(nullptr)));
  }
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  const SweepDir sweep =
      find_sweep(arguments.positional.empty() ? "" : arguments.positional.front());
  if (arguments.has("watch") && arguments.has("json")) {
    fail(ExitCode::kBadInput, "sweep status: --watch is for people, --json for programs");
  }
  for (;;) {
    const SweepStatus status = read_status(sweep);
    if (arguments.has("watch") && ::isatty(STDOUT_FILENO) != 0) fmt::print("{}", kClearScreen);
    print_once(status, arguments);
    if (!arguments.has("watch") || status.complete()) return 0;
    ::sleep(kWatchSeconds);
  }
}

}  // namespace

const Verb& status_verb() {
  static const Verb verb{"status",
                         "[DIR]",
                         "how far a sweep is: counts, steps and rates, never losses",
                         "Changes nothing; works while the sweep runs and on a copy of it.",
                         0,
                         1,
                         [](po::options_description& options) {
                           options.add_options()("watch,w", "again every two seconds");
                           add_json_option(options);
                           add_color_option(options);
                         },
                         &run};
  return verb;
}

}  // namespace sweep
