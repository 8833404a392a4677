#include <cstdio>

#include "planning.h"
#include "session.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "trainer.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

SweepDir directory_for(const fs::path& file, const Arguments& arguments) {
  if (arguments.has("directory")) return {arguments.get<std::string>("directory")};
  return {file.stem().string() + ".sweep"};
}

void refuse_changes(const SweepDir& sweep, const fs::path& file) {
  const auto changes = changes_since_registration(sweep, file);
  if (changes.empty()) return;
  std::string list;
  for (const auto& change : changes) list += "\n  " + change;
  fail(ExitCode::kRefused,
       "{} differs from what {} registered:{}\nA registered sweep does not change. Put the file "
       "back, or give the new one a folder of its own with -C.",
       file.string(), sweep.path.string(), list);
}

Registration register_now(const fs::path& file, const SweepDir& sweep) {
  const Prereg prereg = load_prereg(file);
  say(stderr, "checking this machine's numerics");
  const Json identity = numeric_identity(prereg.base.train.device);
  Registration registration = register_sweep(file, sweep, identity);
  say(stderr, "registered {} in {}/ (lock.json holds every hash)",
      count_of(registration.plan.size(), "run"), sweep.path.string());
  if (!prereg.robustness.is_null()) {
    say(stderr, "robustness: registered as written; only the main runs are planned");
  }
  return registration;
}

int run(const Arguments& arguments) {
  const fs::path file = arguments.positional.front();
  const SweepDir sweep = directory_for(file, arguments);
  jobs_of(arguments);
  if (arguments.has("dry-run")) return print_plan(file, PlanOptions{});
  if (!fs::exists(sweep.lock()))
    return carry_out(sweep, register_now(file, sweep), arguments, "run");
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
      "registered it refuses (exit status 3) and says what differs.",
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
