#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace sweep {

struct WorkerOptions {
  std::filesystem::path run_dir;
  std::int64_t attempt = 1;
  std::string token;               ///< of the claim; "": a fresh one
  double checkpoint_seconds = 60;  ///< by the wall clock; 0: after every step
};

/// Why to stop now, or nullopt to go on; asked at every step boundary.
using StopReason = std::function<std::optional<std::string>()>;

/// Carries one run to its result: takes its claim, resumes from the newest whole checkpoint or
/// starts, trains, publishes final.safetensors and result.json, removes the checkpoints. Weights,
/// metrics.jsonl and result.json have the same bytes however often it was interrupted.
/// Returns the exit status: 0 when there is a result (a run that went non-finite included),
/// `kExitCheckpointed` when `stop` gave a reason. Throws `Error`: `kOwned` when somebody else lives
/// on the run, `kBadInput` for a config or token file that cannot be trained, `kResources`.
int work_on_run(const WorkerOptions& options, const StopReason& stop);

}  // namespace sweep
