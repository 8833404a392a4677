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

/// {"rule": "degraded", "by": 0.3, ...}: the rule as a file has it.
Json to_json(const FailureRule& rule);

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

  /// Levels of the axis that hypotheses name; both ends belong to it.
  struct Range {
    std::string name;
    double low = 0;
    double high = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;

  /// From which level on the control fails where the treatment does not.
  struct NecessityLr {
    std::string control = "unusable";  ///< unusable | diverged | worse_by
    double worse_by = 0;               ///< nats; control "worse_by": control - treatment above it
    std::string treatment = "usable";
    std::string scan = "upward_from_control_best";
    bool persistent = true;  ///< the control must fail at every higher level, too
    std::string per = "seed";
    bool operator==(const NecessityLr&) const = default;
  } necessity_lr;

  /// Difference of final losses between two arms, of the same seed at the same level.
  struct Gap {
    std::string of = "final_val_loss";
    std::string minuend;
    std::string subtrahend;
    std::string average = "range";  ///< range: mean over its levels | none: every level counts
    std::string per = "seed";
    bool operator==(const Gap&) const = default;
  };
  std::optional<Gap> gap;

  /// The loss that counts as converged, and where arms are compared.
  struct Convergence {
    /// A loss (number or named level, less `minus`), or a pilot's best seed mean plus a margin.
    FailureRule::LossLevel level = FailureRule::LossLevel::kNumber;
    double number = 0;      ///< nats; level kNumber
    double minus = 0;       ///< nats; taken from a named level
    std::string pilot_arm;  ///< not empty: the pilot's arm, and the two above do not count
    double best_final_plus = 0;
    std::int64_t confirm_evals = 1;  ///< later evaluations that must stay at or below the loss
    std::vector<std::string> compare_at = {"same_lr", "arm_best_lr"};
    bool operator==(const Convergence&) const = default;
  };
  std::optional<Convergence> convergence;

  bool operator==(const Definitions&) const = default;
};

/// Diverged: non-finite, final >= initial loss, or final >= unigram floor - 0.1. Unusable:
/// diverged, or degraded by 0.3 against the same arm and stratum.
Definitions default_definitions();

Json to_json(const Definitions& definitions);

/// nullptr when there is none of that name.
const Definitions::Range* find_range(const Definitions& definitions, const std::string& name);

}  // namespace sweep
