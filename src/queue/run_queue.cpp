#include <algorithm>
#include <csignal>
#include <vector>

#include "queue/local_pool.h"
#include "queue/orchestrator.h"
#include "queue/without_folder.h"
#include "sweep/base/machine.h"
#include "sweep/base/process.h"
#include "sweep/base/text.h"
#include "sweep/record/claim.h"
#include "sweep/record/registration.h"

namespace sweep {
namespace {

int effective_jobs(int wanted, const std::vector<RunSpec>& plan, ProgressView& view) {
  const int cores = worker_cores();
  if (wanted <= 0) return plan.empty() ? cores : automatic_jobs(plan.front().config.train.device);
  if (wanted > cores) {
    view.message(
        fmt::format("{} workers were asked for, but more than one a core would be slower: "
                    "using {}",
                    wanted, cores));
  }
  return std::min(wanted, cores);
}

Json counts_of(const RunCounts& runs) {
  return {{"planned", runs.planned}, {"finished", runs.finished}, {"failed", runs.failed}};
}

void log_start(const SweepDir& sweep, const QueueOptions& options, int jobs,
               const RunCounts& runs) {
  const ProcessIdentity self = self_identity();
  Json details = {
      {"reason", options.reason}, {"host", self.host}, {"pid", self.pid}, {"jobs", jobs}};
  details.update(counts_of(runs));
  log_event(sweep, "started", details);
}

void log_stop(const SweepDir& sweep, const QueueSummary& summary) {
  Json details = {{"exit", summary.exit_status()}};
  details.update(counts_of(summary.runs));
  if (!summary.problem.empty()) details["problem"] = without_folder(summary.problem, sweep);
  try {
    log_event(sweep, "stopped", details);
  } catch (const Error&) {
    // The disk that ended the session is still full; the summary says so already.
  }
}

}  // namespace

int automatic_jobs(const std::string& device) { return device == "cpu" ? worker_cores() : 1; }

int QueueSummary::exit_status() const {
  if (signal != 0) return signal == SIGINT ? 130 : 143;
  return static_cast<int>(code);
}

QueueSummary run_queue(const SweepDir& sweep, const std::vector<RunSpec>& plan,
                       const ExecutionConfig& execution, const QueueOptions& options,
                       ProgressView& view) {
  Claim owner = own_sweep(sweep);
  LocalPoolOptions pool_options;
  pool_options.trainer = options.trainer;
  pool_options.jobs = effective_jobs(options.jobs, plan, view);
  pool_options.memory_bytes = options.memory_bytes;
  LocalPool pool(pool_options);
  Orchestrator orchestrator({sweep, execution, options.timing, pool, view, owner}, plan);
  log_start(sweep, options, pool_options.jobs, orchestrator.counts());
  QueueSummary summary = orchestrator.run();
  log_stop(sweep, summary);
  view.close();
  try {
    owner.give_back();
  } catch (const Error&) {
    // Ending the process gives the claim back as well.
  }
  return summary;
}

std::string describe(const QueueSummary& summary, const SweepDir& sweep) {
  const RunCounts& runs = summary.runs;
  std::string text = fmt::format("{} of {} finished", runs.finished, count_of(runs.planned, "run"));
  const auto add = [&](std::size_t n, const char* what) {
    if (n > 0) text += fmt::format(", {} {}", n, what);
  };
  add(runs.failed, "failed");
  add(runs.interrupted, "stopped on the way");
  add(runs.elsewhere, "worked on elsewhere");
  add(runs.waiting, "not started");
  add(runs.running, "left alone");
  if (!summary.problem.empty()) text += "\n" + summary.problem;
  if (runs.finished < runs.planned) {
    text += fmt::format("\ncarry on with: sweep resume {}", sweep.path.string());
  }
  return text;
}

}  // namespace sweep
