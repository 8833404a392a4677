#pragma once

#include <cstdint>

namespace sweep {

/// y = gain * (x - centre) * inverse over rows of n numbers, where
///   rms     centre 0     inverse 1 / sqrt(mean x^2 + eps)
///   layer   centre mean  inverse 1 / sqrt(variance + eps)
///   length  centre 0     inverse 1 / max(|x|, eps)
struct RowNorm {
  enum class Kind { kRms, kLayer, kLength };
  Kind kind;
  double eps;
};

/// `outer` times `inner` rows of `size` numbers. The inner ones lie one after another, the outer
/// ones `outer_stride` apart.
template <typename T>
struct Rows {
  T* data;
  std::int64_t outer;
  std::int64_t inner;
  std::int64_t size;
  std::int64_t outer_stride;
};

/// `gain` (size) or null for ones; `y` dense. Float32 and float64.
template <typename T>
void row_norm_forward(const RowNorm& norm, const Rows<const T>& x, const T* gain, T* y);

/// Gradients of the same for dense `dy`: dense `dx`; what belongs to the gain is added to `dgain`
/// (size), in float64 since there are many rows.
template <typename T>
void row_norm_backward(const RowNorm& norm, const Rows<const T>& x, const T* gain, const T* dy,
                       T* dx, double* dgain);

}  // namespace sweep
