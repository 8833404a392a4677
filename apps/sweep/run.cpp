#include "planning.h"
#include "registering.h"
#include "session.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

int run(const Arguments& arguments) {
  const fs::path file = arguments.positional.front();
  const SweepDir sweep = directory_for(file, arguments);
  jobs_of(arguments);
  if (arguments.has("dry-run")) return print_plan(file, PlanOptions{});
  if (!fs::exists(sweep.lock()))
    return carry_out(sweep, register_now(file, sweep, "run"), arguments, "run");
  refuse_changes(sweep, file);
  return carry_out(sweep, read_registration(sweep), arguments, "run again");
}

}  // namespace

const Verb& run_verb() {
  static const Verb verb{
      "run",
      "FILE",
      "register a pre-registration, train all its runs, report",
      "On a sweep that exists it carries on, as 'resume' does; when FILE no longer means what was\n"
      "registered it refuses (exit status 3) and says what differs. Code with uncommitted changes "
      "is\n"
      "recorded in the lock and reported; 'sweep register' refuses it.",
      1,
      1,
      [](po::options_description& options) {
        add_directory_option(options);
        add_queue_options(options);
        options.add_options()("dry-run,n", "show the plan and start nothing");
      },
      &run};
  return verb;
}

}  // namespace sweep
