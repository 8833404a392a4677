#pragma once

#include <cstdint>

namespace sweep {

/// Logits of `rows` tokens (rows x size) and the tokens that came.
struct Predictions {
  float* logits;
  std::int64_t rows;
  std::int64_t size;
  const std::int64_t* targets;
};

/// Returns the sum over rows of -log softmax(logits)[target] in nats. The logits become
/// exponentials on the way. Adds the sum over rows of their log-sum-exp to `log_z` unless it is
/// null.
double cross_entropy(const Predictions& predictions, double* log_z = nullptr);

/// The same; the logits become factor (softmax(logits) - onehot(target)), the gradient of factor
/// times that sum.
double cross_entropy_with_gradient(const Predictions& predictions, float factor,
                                   double* log_z = nullptr);

}  // namespace sweep
