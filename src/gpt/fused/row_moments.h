#pragma once

#include <cstdint>

#include "gpt/mechanism_sums.h"

namespace sweep {

/// Sums over one row, in double precision.
struct RowMoments {
  double squares = 0;
  double fourth_powers = 0;
  CentralMoments about_mean;
};

RowMoments row_moments(const float* x, std::int64_t count);

/// Median of |x|: the mean of the two in the middle where there are two. A NaN counts as the
/// largest.
double median_size(const float* x, std::int64_t count);

}  // namespace sweep
