#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/analysis.h"
#include "sweep/analysis/estimates.h"
#include "sweep/analysis/exact_tests.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {

/// The gap over a registered range in one stratum: one mean per seed, what can be said of them.
/// Descriptive: verdicts rest on the registered criteria alone.
struct RangeEffect {
  Stratum stratum;
  Definitions::Range range;
  Finding<Spread> gap = Undefined{};    ///< over seeds, of each seed's mean over the range; nats
  std::optional<double> half_width_95;  ///< Student; nullopt for one seed
  std::optional<ExactTest> sign_flip;   ///< two-sided
  std::optional<Tost> equivalence;      ///< where a criterion sets margins for this range
};

/// By stratum, then range; empty without registered ranges.
std::vector<RangeEffect> range_effects(const Prereg& prereg, const Analysis& analysis);

/// Effect size of a moving threshold: least-squares slope of log10(necessity LR) on log2(depth)
/// over all seeds, its smallest and largest value within the grid's intervals.
struct NecessitySlope {
  std::string treatment;
  std::string factor;  ///< the stratum's factor, a number: "model.n_layer"
  Finding<SlopeBounds> slope = Undefined{};
};

/// One per treatment; empty unless the strata are levels of exactly one factor of positive numbers.
std::vector<NecessitySlope> necessity_slopes(const Analysis& analysis);

}  // namespace sweep
