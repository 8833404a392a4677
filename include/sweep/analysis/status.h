#pragma once

#include <optional>
#include <string>

namespace sweep {

/// What became of a run; where several hold, the first of kNonfinite .. kOk is shown.
enum class RunStatus {
  kMissing,    ///< no result
  kNonfinite,  ///< loss, gradient norm or a parameter was not finite
  kBlowup,     ///< final loss at or above the run's own initial loss
  kCollapsed,  ///< final loss at or above another registered level: a corpus floor or a number
  kDegraded,   ///< final loss above the registered reference by more than delta
  kUnjudged,   ///< finished, but no complete cell gives the reference of `degraded` yet
  kOk,
};

/// "ok", "degraded", ...
std::string to_string(RunStatus status);

/// The registered rules applied to one run. nullopt: not known, since the run is missing or lacks
/// its reference.
struct Judgement {
  RunStatus status = RunStatus::kMissing;
  std::optional<bool> diverged;
  std::optional<bool> unusable;
  bool operator==(const Judgement&) const = default;
};

}  // namespace sweep
