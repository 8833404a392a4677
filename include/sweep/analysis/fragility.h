#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/verdict.h"

namespace sweep {

/// Verdicts under other definitions than the registered ones: what a conclusion hangs on.
struct Rejudgement {
  std::string name;                   ///< "degraded by 0.15", "unusable: non-finite only"
  std::vector<VerdictKind> verdicts;  ///< in the order of the hypotheses
};

/// The interval of delta around the registered one over which a verdict holds.
struct DeltaInterval {
  std::string id;
  VerdictKind verdict = VerdictKind::kInconclusive;
  std::optional<double> low;   ///< nats; the verdict is another one below it; nullopt: not found
  std::optional<double> high;  ///< the same above
  bool robust = false;         ///< the same verdict at delta / 2 and at 2 delta
};

struct Fragility {
  std::optional<double> delta;  ///< registered; nullopt: no rule `degraded`
  double searched_low = 0;      ///< how far down and up was searched
  double searched_high = 0;
  std::vector<DeltaInterval> intervals;  ///< one per hypothesis; empty without a delta
  std::vector<Rejudgement> alternatives;
};

/// Judges all hypotheses again: over delta (its verdicts change only where a run's loss passes the
/// line, so those are tried one by one), at the registered profile of deltas, and with each rule of
/// failure on its own. `curves` come from `group`, `registered` from the registered definitions.
Fragility fragility_of(const Prereg& prereg, const std::vector<Curve>& curves,
                       const std::vector<PilotBest>& pilot, const std::vector<Verdict>& registered);

}  // namespace sweep
