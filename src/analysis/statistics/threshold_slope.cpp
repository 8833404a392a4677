#include <cmath>

#include "sweep/analysis/estimates.h"

namespace sweep {
namespace {

/// The slope is the sum of weight times log10(threshold).
std::vector<double> slope_weights(std::span<const ThresholdInterval> thresholds) {
  std::vector<double> weights;
  double mean = 0;
  for (const ThresholdInterval& t : thresholds) mean += std::log2(t.depth);
  mean /= static_cast<double>(thresholds.size());
  double squares = 0;
  for (const ThresholdInterval& t : thresholds) {
    weights.push_back(std::log2(t.depth) - mean);
    squares += weights.back() * weights.back();
  }
  constexpr double kNothing = 1e-12;  // a depth in the middle, but for rounding
  for (double& weight : weights) weight = std::abs(weight) < kNothing ? 0 : weight / squares;
  return weights;
}

/// Linear in every threshold, so an extreme lies at a corner of the box of intervals.
std::optional<double> corner(std::span<const ThresholdInterval> thresholds,
                             const std::vector<double>& weights, bool largest) {
  double slope = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const bool upper = (weights[i] > 0) == largest;
    slope += weights[i] * std::log10(upper ? thresholds[i].upper : thresholds[i].lower);
  }
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

}  // namespace

Finding<SlopeBounds> threshold_slope(std::span<const ThresholdInterval> thresholds) {
  bool varies = false;
  for (const ThresholdInterval& t : thresholds) varies |= t.depth != thresholds.front().depth;
  if (!varies) return Undefined{"a slope needs thresholds at two depths", {}};
  const std::vector<double> weights = slope_weights(thresholds);
  return SlopeBounds{corner(thresholds, weights, false), corner(thresholds, weights, true),
                     thresholds.size()};
}

}  // namespace sweep
