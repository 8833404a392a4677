#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/cross_entropy.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

double cross_entropy(const Predictions& predictions, double* log_z) {
  SWEEP_DISPATCH(cross_entropy_of(predictions, nullptr, log_z));
}

double cross_entropy_with_gradient(const Predictions& predictions, float factor, double* log_z) {
  SWEEP_DISPATCH(cross_entropy_of(predictions, &factor, log_z));
}

}  // namespace sweep

#else

/// Lanes beyond the row weigh nothing.
Floats load_logits(const float* from, std::int64_t n) {
  if (n >= kWidth) return load(from);
  float numbers[kWidth];
  std::fill_n(numbers, kWidth, -std::numeric_limits<float>::infinity());
  std::copy_n(from, n, numbers);
  return load(numbers);
}

float largest_in(const float* row, std::int64_t size) {
  Floats most = load_logits(row, size);
  for_each_lanes(size,
                 [&](std::int64_t i, auto n) { most = larger_of(most, load_logits(row + i, n)); });
  return largest_of<float>(most);
}

/// Turns a row into exp(logit - largest); returns their sum.
float exponentiate(float* row, std::int64_t size, float largest) {
  const Floats most = all_lanes(largest);
  Floats sums = {};
  for_each_lanes(size, [&](std::int64_t i, auto n) {
    const Floats weights = exponential(load_logits(row + i, n) - most);
    store_first(row + i, weights, n);
    sums += weights;
  });
  return sum_of<float>(sums);
}

void scale_row(float* row, std::int64_t size, float factor) {
  for (std::int64_t i = 0; i < size; ++i) row[i] *= factor;
}

/// `factor` null: no gradient.
double cross_entropy_of(const Predictions& all, const float* factor, double* log_z) {
  double sum = 0;
  for (std::int64_t r = 0; r < all.rows; ++r) {
    float* row = all.logits + r * all.size;
    const std::int64_t target = all.targets[r];
    const float wanted = row[target];
    const float largest = largest_in(row, all.size);
    const float weights = exponentiate(row, all.size, largest);
    const double log_sum = std::log(static_cast<double>(weights));
    sum += log_sum + (static_cast<double>(largest) - wanted);
    if (log_z != nullptr) *log_z += log_sum + static_cast<double>(largest);
    if (factor == nullptr) continue;
    scale_row(row, all.size, *factor / weights);
    row[target] -= *factor;
  }
  return sum;
}

#endif
