#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sweep/analysis/exact_tests.h"

namespace sweep {

/// Counts the arrangements that are at least as extreme as the observed one, and those as extreme
/// as any. Sums of the same numbers in another order differ in their last digits: what is nearer
/// than 1e-12 of the range counts as equal.
class Tally {
 public:
  struct Range {
    double min = 0;
    double max = 0;
  };

  /// `range`: the smallest and largest statistic that any arrangement has.
  Tally(Alternative alternative, double observed, Range range)
      : alternative_(alternative),
        observed_(observed),
        bar_(extremeness(observed)),
        top_(std::max(extremeness(range.min), extremeness(range.max))),
        tolerance_(1e-12 * std::max(std::abs(range.min), std::abs(range.max))) {}

  void add(double statistic) {
    const double value = extremeness(statistic);
    ++all_;
    if (value >= bar_ - tolerance_) ++as_observed_;
    if (value >= top_ - tolerance_) ++as_any_;
  }

  [[nodiscard]] ExactTest result(std::size_t n) const {
    const auto all = static_cast<double>(all_);
    return {observed_, static_cast<double>(as_observed_) / all, static_cast<double>(as_any_) / all,
            n};
  }

 private:
  [[nodiscard]] double extremeness(double statistic) const {
    if (alternative_ == Alternative::kTwoSided) return std::abs(statistic);
    return alternative_ == Alternative::kGreater ? statistic : -statistic;
  }

  Alternative alternative_;
  double observed_;
  double bar_;
  double top_;
  double tolerance_;
  std::size_t all_ = 0;
  std::size_t as_observed_ = 0;
  std::size_t as_any_ = 0;
};

}  // namespace sweep
