#include "session.h"

#include <algorithm>
#include <cstdio>

#include "output.h"
#include "reporting.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/queue/queue.h"
#include "trainer.h"

namespace sweep {
namespace {

/// Two machines, or two builds, may round differently: near the edge of stability that can flip a
/// cell, so a sweep mixes them only by a recorded amendment, and never within a pair.
void check_numerics(const SweepDir& sweep, const Registration& registration) {
  const Json here = numerics_here(registration);
  const auto accepted = accepted_numerics(registration);
  if (std::find(accepted.begin(), accepted.end(), here) == accepted.end()) {
    fail(
        ExitCode::kRefused,
        "{}: this machine or build computes with other numerics than were registered, so its runs "
        "would not be comparable bit for bit:\n  {}\nCarry on where the sweep was started, or "
        "record that the sweep goes on here: 'sweep amend --accept-numerics' ('sweep report' works "
        "anywhere).",
        sweep.path.string(), join(numeric_differences(accepted.back(), here), "\n  "));
  }
  if (accepted.size() == 1) return;
  const auto split = pairs_split_by(sweep, here.value("fingerprint", ""));
  if (split.empty()) return;
  fail(ExitCode::kRefused,
       "{}: the other half of {} was finished under other numerics, and pairs are kept whole: "
       "finish {} where the pair was begun",
       sweep.path.string(), count_of(split.size(), "run"), split.front());
}

}  // namespace

Json numerics_here(const Registration& registration) {
  const auto path =
      kernel_path_named(registration.lock.numeric_identity.value("kernel_path", "plain"));
  // A plan has one device: one per arm would confound the comparison.
  return numeric_identity(registration.plan.front().config.train.device,
                          path.value_or(KernelPath::kPlain));
}

int jobs_of(const Arguments& arguments) {
  const auto text = arguments.get<std::string>("jobs");
  if (text == "auto") return 0;
  const auto jobs = parse_integer(text);
  if (!jobs || *jobs < 1 || *jobs > 4096) {
    fail(ExitCode::kBadInput, "--jobs {}: a number from 1 on, or auto", text);
  }
  return static_cast<int>(*jobs);
}

int carry_out(const SweepDir& sweep, const Registration& registration, const Arguments& arguments,
              const std::string& reason) {
  check_numerics(sweep, registration);
  QueueOptions options;
  options.trainer = trainer_path();
  options.jobs = jobs_of(arguments);
  options.reason = reason;
  ViewOptions view_options;
  view_options.title = sweep.path.filename().string();
  view_options.color = color_choice(arguments);
  view_options.quiet = arguments.has("quiet");
  const auto view = make_progress_view(view_options);
  const QueueSummary summary =
      run_queue(sweep, registration.plan, registration.prereg.execution, options, *view);
  view->close();
  say(stderr, "{}", describe(summary, sweep));
  if (summary.runs.finished == summary.runs.planned) show_report(sweep, make_report(sweep));
  return summary.exit_status();
}

}  // namespace sweep
