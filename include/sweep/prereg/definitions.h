#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {

/// One rule for "diverged" or "unusable" (docs/definitions.md has formula and source of each).
struct FailureRule {
  /// nonfinite:            the run's outcome is non-finite
  /// final_loss_at_least:  final validation loss >= level - minus
  /// diverged:             any rule of `diverged` holds (in `unusable` only)
  /// degraded:             final validation loss > reference + by
  enum class Kind { kNonfinite, kFinalLossAtLeast, kDiverged, kDegraded };
  enum class LossLevel { kNumber, kInitialValLoss, kUniformFloor, kUnigramFloor, kBigramFloor };
  Kind kind = Kind::kNonfinite;
  LossLevel level = LossLevel::kNumber;
  double number = 0;                        ///< nats; level kNumber
  double minus = 0;                         ///< nats
  double by = 0.3;                          ///< nats; delta of kDegraded
  std::string of = "same_arm_and_stratum";  ///< kDegraded: or same_stratum (both arms)
  bool operator==(const FailureRule&) const = default;
};

/// The registered definitions that findings are computed by. Defaults are those of
/// docs/definitions.md; the lock holds what acted.
struct Definitions {
  std::vector<FailureRule> diverged;  ///< any of them
  std::vector<FailureRule> unusable;  ///< any of them

  /// What stands in for the loss of a run that went non-finite, and the cap inside LR-sensitivity.
  struct FinalValLoss {
    std::string when = "last_iter";
    std::string nonfinite_as = "initial_val_loss";
    std::string cap = "initial_val_loss";
    bool operator==(const FinalValLoss&) const = default;
  } final_val_loss;

  struct MaxStableLr {
    std::string failure = "unusable";  ///< unusable | diverged
    std::string scan = "upward_from_arm_best";
    bool contiguous = true;
    std::string per = "seed";
    bool operator==(const MaxStableLr&) const = default;
  } max_stable_lr;

  struct LrSensitivity {
    std::string points = "all";     ///< all | wortsman
    std::string weights = "equal";  ///< equal | log_trapezoid
    std::string best = "min_capped";
    std::string per = "seed";
    bool operator==(const LrSensitivity&) const = default;
  } lr_sensitivity;

  /// Registered and hashed as written; read by the judgement of hypotheses.
  Json ranges;
  Json necessity_lr;
  Json gap;
  Json convergence;

  bool operator==(const Definitions&) const = default;
};

/// Diverged: non-finite, final >= initial loss, or final >= unigram floor - 0.1. Unusable:
/// diverged, or degraded by 0.3 against the same arm and stratum.
Definitions default_definitions();

Json to_json(const Definitions& definitions);

}  // namespace sweep
