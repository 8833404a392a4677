#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "sweep/base/json.h"
#include "sweep/queue/progress.h"
#include "sweep/record/claim.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A run whose retries are used up.
struct FailedRun {
  std::string id;
  std::int64_t attempts = 0;
  std::string status;  ///< of the last attempt: "exit 1", "signal 9 (Killed), possibly ..."
};

/// A sweep as its files tell it.
struct SweepStatus {
  std::string name;  ///< of the sweep's folder
  Progress progress;
  std::size_t pairs_planned = 0;   ///< groups of runs that differ in nothing but the arm
  std::size_t pairs_complete = 0;  ///< those with every arm finished
  std::vector<FailedRun> failures;
  std::optional<ClaimInfo> owner;  ///< the live orchestrator
  [[nodiscard]] bool complete() const { return progress.runs.finished == progress.runs.planned; }
};

/// Derived from plan, results, claims and attempts; "running" is never stored. Changes nothing and
/// works on a read-only or moved folder. Reads one small file for each unfinished run that was
/// started, none for finished ones.
SweepStatus read_status(const SweepDir& sweep);

/// For people, with a final newline. `columns` 0: lines are not cut. `now` is for the finish time.
std::string render_status(const SweepStatus& status, std::size_t columns, bool color,
                          std::time_t now);

/// For programs; docs/schemas/status.schema.json has every key.
Json to_json(const SweepStatus& status);

}  // namespace sweep
