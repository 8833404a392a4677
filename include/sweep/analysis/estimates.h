#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sweep/analysis/finding.h"

namespace sweep {

/// Half the width of Student's interval for a mean: t(confidence, n - 1) sd / sqrt(n); n >= 2.
double t_half_width(double sd, std::size_t n, double confidence);

/// What a difference has to lie within to be called negligible; may be asymmetric.
struct Margins {
  double low = 0;
  double high = 0;
  bool operator==(const Margins&) const = default;
};

/// Two one-sided t tests (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657-680): equivalent at
/// alpha when both are significant. A t procedure and no exact test: it assumes that differences
/// are normal, and its p has no floor.
struct Tost {
  std::size_t n = 0;
  double mean = 0;
  double sd = 0;
  Margins margins;
  double p_low = 1;   ///< against "the mean is at most low"
  double p_high = 1;  ///< against "the mean is at least high"
  [[nodiscard]] double p() const { return p_low > p_high ? p_low : p_high; }
  /// The deviation below which this mean of this n would be equivalent; 0 outside the margins.
  [[nodiscard]] double sd_needed(double alpha) const;
  bool operator==(const Tost&) const = default;
};

/// Undefined for fewer than two differences, for differences that are all equal, and when
/// low >= high.
Finding<Tost> tost(std::span<const double> differences, Margins margins);

/// Holm 1979 (Scand. J. Stat. 6, 65-70): adjusted p, in the order given. A registered test without
/// a p counts as 1, so that the family keeps its size.
std::vector<double> holm(std::span<const double> p);

/// Clopper & Pearson 1934 (Biometrika 26, 404-413), one-sided: the largest failure rate under which
/// so few failures have probability at least 1 - confidence. 0 of 2: .78 at confidence .95.
double failure_upper_bound(std::size_t failures, std::size_t n, double confidence);

/// A threshold known to lie between two levels of the grid. lower 0 (left-censored) and upper
/// +infinity (right-censored) leave that side open.
struct ThresholdInterval {
  double depth = 0;  ///< > 0
  double lower = 0;
  double upper = 0;
};

/// The least-squares slope of log10(threshold) on log2(depth), in decades per doubling of depth:
/// its smallest and largest value over all thresholds within their intervals.
struct SlopeBounds {
  std::optional<double> min;  ///< nullopt: no bound, a side is open
  std::optional<double> max;
  std::size_t n = 0;  ///< thresholds
  bool operator==(const SlopeBounds&) const = default;
};

/// Several thresholds of one depth (seeds) may stand beside each other. Undefined for fewer than
/// two different depths.
Finding<SlopeBounds> threshold_slope(std::span<const ThresholdInterval> thresholds);

}  // namespace sweep
