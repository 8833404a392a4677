#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweep/base/error.h"
#include "sweep/prereg/config.h"
#include "sweep/prereg/run_spec.h"
#include "sweep/queue/progress.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// What `--jobs auto` means for a plan on this device (a plan has one): a worker per physical core.
/// Several on one accelerator would only take turns, so there it is one.
int automatic_jobs(const std::string& device);

/// Waiting times that no one needs to set but tests.
struct QueueTiming {
  double kill_grace_s = 30;       ///< from SIGTERM to SIGKILL for a hung worker
  double claim_patience_s = 120;  ///< for a worker of an earlier orchestrator to stop
  double retry_backoff_s = 1;     ///< before the first retry; doubles each time, at most a minute
};

struct QueueOptions {
  std::filesystem::path trainer;  ///< the worker program
  int jobs = 0;                   ///< at most so many workers at once; 0: `automatic_jobs`
  /// Bytes that a worker needs for a run; 0: unknown. Empty function, or 0: what the largest worker
  /// so far needed.
  std::function<std::uint64_t(const RunSpec&)> memory_bytes;
  std::string reason;  ///< stands in the audit trail: "run", "resume", "retry: disk was replaced"
  QueueTiming timing;
};

struct QueueSummary {
  RunCounts runs;
  ExitCode code = ExitCode::kOk;  ///< kOk, kRunFailed, kIncomplete, kResources, kOwned
  int signal = 0;                 ///< that ended it: SIGINT, SIGTERM, SIGHUP; 0: none
  std::string problem;            ///< why it ended early; "" when it did not

  /// 130 after SIGINT, 143 after SIGTERM or SIGHUP, else `code`.
  [[nodiscard]] int exit_status() const;
};

/// Carries out the runs of `plan`, in its order, that have no result yet, and returns when all of
/// them are finished, failed or held elsewhere, or when it was told to stop. `resume` is the same
/// call: complete runs are skipped, interrupted ones carried on from their checkpoint, and runs
/// that failed in an earlier session get 1 + `execution.max_retries` attempts afresh.
///
/// Holds the sweep's owner claim meanwhile; throws `Error` (`kOwned`) naming host, pid and since
/// when when another orchestrator does, and (`kRefused`) when a run's config.json differs from the
/// plan. Handles SIGINT (once: checkpoint and stop; twice: kill; three times: leave), SIGTERM and
/// SIGHUP (like once), ignores SIGPIPE, and restores what it found.
QueueSummary run_queue(const SweepDir& sweep, const std::vector<RunSpec>& plan,
                       const ExecutionConfig& execution, const QueueOptions& options,
                       ProgressView& view);

/// The closing words: what is done, what is left and how to carry on. One or more lines.
std::string describe(const QueueSummary& summary, const SweepDir& sweep);

}  // namespace sweep
