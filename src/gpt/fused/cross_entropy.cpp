#include "gpt/fused/cross_entropy.h"

#include <cmath>
#include <limits>

#include "gpt/fused/instruction_set.h"
#include "gpt/fused/row.h"
#include "gpt/kernels/exponential.h"

namespace sweep {
namespace {

/// Lanes beyond the row weigh nothing.
Floats load_logits(const float* from, std::int64_t n) {
  Floats lanes = load_first(from, n);
  for (std::int64_t i = n; i < kWidth; ++i) lanes[i] = -std::numeric_limits<float>::infinity();
  return lanes;
}

float largest_in(const float* row, std::int64_t size) {
  Floats most = load_logits(row, size);
  for_each_lanes(size, [&](std::int64_t i, std::int64_t n) {
    const Floats lanes = load_logits(row + i, n);
    most = lanes > most ? lanes : most;
  });
  return largest_of<float>(most);
}

/// Turns a row into exp(logit - largest); returns their sum.
float exponentiate(float* row, std::int64_t size, float largest) {
  const Floats most = all_lanes(largest);
  Floats sums = {};
  for_each_lanes(size, [&](std::int64_t i, std::int64_t n) {
    const Floats weights = exponential<float>(load_logits(row + i, n) - most);
    store_first(row + i, weights, n);
    sums += weights;
  });
  return sum_of<float>(sums);
}

void scale_row(float* row, std::int64_t size, float factor) {
  for (std::int64_t i = 0; i < size; ++i) row[i] *= factor;
}

void cross_entropy_rows_body(const Predictions& all, const float* factor, double& sum) {
  for (std::int64_t r = 0; r < all.rows; ++r) {
    float* row = all.logits + r * all.size;
    const std::int64_t target = all.targets[r];
    const float wanted = row[target];
    const float largest = largest_in(row, all.size);
    const float weights = exponentiate(row, all.size, largest);
    sum += std::log(static_cast<double>(weights)) + (static_cast<double>(largest) - wanted);
    if (factor == nullptr) continue;
    scale_row(row, all.size, *factor / weights);
    row[target] -= *factor;
  }
}

}  // namespace

SWEEP_COMPILE(cross_entropy_rows, (const Predictions& all, const float* factor, double& sum),
              (all, factor, sum))

double cross_entropy(const Predictions& predictions) {
  double sum = 0;
  cross_entropy_rows(predictions, nullptr, sum);
  return sum;
}

double cross_entropy_with_gradient(const Predictions& predictions, float factor) {
  double sum = 0;
  cross_entropy_rows(predictions, &factor, sum);
  return sum;
}

}  // namespace sweep
