#include "sweep/analysis/effects.h"

#include <limits>

namespace sweep {
namespace {

/// The margins that a criterion registers for the mean gap over a range.
std::optional<Margins> margins_in(const Criterion& criterion, const std::string& range) {
  const Limits& limits = criterion.limits;
  if (criterion.kind == Criterion::Kind::kLimits && criterion.quantity == "gap" &&
      criterion.range == range && limits.at_least && limits.at_most) {
    return Margins{*limits.at_least, *limits.at_most};
  }
  for (const Criterion& part : criterion.parts) {
    if (const auto found = margins_in(part, range)) return found;
  }
  return std::nullopt;
}

std::optional<Margins> registered_margins(const Prereg& prereg, const std::string& range) {
  for (const Hypothesis& hypothesis : hypotheses_of(prereg)) {
    if (const auto found = margins_in(hypothesis.supported_if, range)) return found;
  }
  return std::nullopt;
}

RangeEffect effect_of(const GapCurve& curve, const Definitions::Range& range,
                      const std::vector<std::uint64_t>& seeds,
                      const std::optional<Margins>& margins) {
  RangeEffect effect;
  effect.stratum = curve.stratum;
  effect.range = range;
  std::vector<double> means;
  std::vector<PairedDifference> pairs;
  for (const std::uint64_t seed : seeds) {
    const auto gap = gap_in(curve, seed, range.low, range.high);
    const auto* value = value_of(gap);
    if (value == nullptr) {
      effect.gap = std::get<Undefined>(gap);
      return effect;
    }
    means.push_back(value->mean);
    pairs.push_back({seed, value->mean});
  }
  if (means.empty()) return effect;
  const Spread spread = spread_of(means);
  effect.gap = spread;
  if (spread.sd) effect.half_width_95 = t_half_width(*spread.sd, spread.n, 0.95);
  const auto test = sign_flip(pairs, Alternative::kTwoSided);
  if (const auto* result = value_of(test)) effect.sign_flip = *result;
  if (!margins) return effect;
  const auto equivalence = tost(means, *margins);
  if (const auto* result = value_of(equivalence)) effect.equivalence = *result;
  return effect;
}

/// The only factor of the strata, when its levels are positive numbers.
std::optional<std::string> numeric_factor(const Analysis& analysis) {
  for (const Stratum& stratum : analysis.strata) {
    if (stratum.levels.size() != 1 || !stratum.levels[0].value.is_number() ||
        stratum.levels[0].value.get<double>() <= 0) {
      return std::nullopt;
    }
  }
  if (analysis.strata.empty()) return std::nullopt;
  return analysis.strata.front().levels[0].factor;
}

/// nullopt when the seed has no bounds: no window, needed now and then, or undefined.
std::optional<ThresholdInterval> interval_of(double depth, const Finding<NecessityLr>& finding) {
  const auto* value = value_of(finding);
  if (value == nullptr || value->kind == NecessityLr::Kind::kNoWindow) return std::nullopt;
  if (value->kind == NecessityLr::Kind::kRightCensored && value->non_monotone) return std::nullopt;
  return ThresholdInterval{depth, value->lower.value_or(0),
                           value->upper.value_or(std::numeric_limits<double>::infinity())};
}

Finding<SlopeBounds> slope_of(const Analysis& analysis, const std::string& treatment) {
  std::vector<ThresholdInterval> thresholds;
  for (const Necessity& necessity : analysis.necessity) {
    if (necessity.treatment != treatment) continue;
    const double depth = necessity.stratum.levels[0].value.get<double>();
    for (const auto& [seed, finding] : necessity.per_seed) {
      const auto interval = interval_of(depth, finding);
      if (!interval)
        return Undefined{"a threshold is missing, has no window or does not persist", {}};
      thresholds.push_back(*interval);
    }
  }
  return threshold_slope(thresholds);
}

}  // namespace

std::vector<RangeEffect> range_effects(const Prereg& prereg, const Analysis& analysis) {
  std::vector<RangeEffect> effects;
  for (const GapCurve& curve : analysis.gaps) {
    for (const auto& range : prereg.definitions.ranges) {
      effects.push_back(
          effect_of(curve, range, analysis.seeds, registered_margins(prereg, range.name)));
    }
  }
  return effects;
}

std::vector<NecessitySlope> necessity_slopes(const Analysis& analysis) {
  std::vector<NecessitySlope> slopes;
  const auto factor = numeric_factor(analysis);
  if (!factor || analysis.strata.size() < 2) return slopes;
  for (std::size_t i = 1; i < analysis.arms.size(); ++i) {
    slopes.push_back({analysis.arms[i], *factor, slope_of(analysis, analysis.arms[i])});
  }
  return slopes;
}

}  // namespace sweep
