#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// One run of a seed's curve.
struct LossPoint {
  double x = 0;                      ///< peak learning rate
  std::optional<double> final_loss;  ///< nullopt: non-finite
  double initial_loss = 0;           ///< the cap
};

/// How points are averaged: equally, or by the trapezoid rule over ln x divided by the range.
enum class Weights { kEqual, kLogTrapezoid };

/// Wortsman et al. 2023 (arXiv 2309.14322, section 2.2):
///   l* = min over points of min(l, l0);  sensitivity = average of min(l, l0) - l*.
struct LrSensitivity {
  double value = 0;            ///< nats, >= 0
  double best_loss = 0;        ///< l*
  double best_x = 0;           ///< where it was attained; the lowest on ties
  double initial_loss = 0;     ///< l0 of the run that attained it
  double below = 0;            ///< what points below the split add to `value`: slowness
  double above = 0;            ///< what points above it add: instability
  bool never_trained = false;  ///< no point ended below its initial loss
  /// value / (l0 - l*), in [0, 1]: comparable across tokenizers; 0 when nothing trained.
  [[nodiscard]] double normalised() const {
    return initial_loss > best_loss ? value / (initial_loss - best_loss) : 0;
  }
  bool operator==(const LrSensitivity&) const = default;
};

/// `split`: the arm's best x; without one, this curve's own. Order of points does not matter.
/// Undefined without points, and for the trapezoid when an x is not positive.
Finding<LrSensitivity> lr_sensitivity(std::span<const LossPoint> points, Weights weights,
                                      std::optional<double> split = std::nullopt);

/// The seven learning rates 3e-4, 1e-3, ..., 3e-1 of Wortsman et al.; undefined when one is not
/// among the points.
Finding<std::vector<LossPoint>> wortsman_points(std::span<const LossPoint> points);

/// Which points, averaged how.
struct SensitivityRule {
  std::string points = "all";  ///< all | wortsman
  Weights weights = Weights::kEqual;
  bool operator==(const SensitivityRule&) const = default;
};
SensitivityRule registered_rule(const Definitions::LrSensitivity& definition);

/// One rule applied to a curve: each seed on its own, then the mean over seeds. The mean is
/// undefined when one seed's is.
struct CurveSensitivity {
  SensitivityRule rule;
  std::vector<std::pair<std::uint64_t, Finding<LrSensitivity>>> per_seed;
  Finding<Spread> over_seeds;
};
CurveSensitivity curve_sensitivity(const Curve& curve, const SensitivityRule& rule);

}  // namespace sweep
