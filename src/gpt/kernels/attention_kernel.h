#pragma once

#include <cstdint>

namespace sweep {

struct AttentionShape {
  std::int64_t batch;      ///< B
  std::int64_t length;     ///< T
  std::int64_t heads;      ///< H
  std::int64_t head_size;  ///< Dh
};

/// A (B, T, H, Dh) array whose last dimension is dense: q, k and v lie in one packed array.
template <typename T>
struct Heads {
  T* data;
  std::int64_t batch_stride;
  std::int64_t row_stride;
  std::int64_t head_stride;
};

/// For heads [first, last) out of B*H: out = softmax(scale q k^T + causal mask) v, and the rows'
/// log-sum-exp (B, H, T), which the backward pass needs. A NaN or an overflow in a row makes that
/// row of `out` NaN. Float32 and float64.
template <typename T>
void attention_forward(const AttentionShape& shape, T scale, Heads<const T> q, Heads<const T> k,
                       Heads<const T> v, Heads<T> out, T* log_sum, std::int64_t first,
                       std::int64_t last);

/// The gradients dq, dk, dv of the same, given the gradient of `out`. Probabilities are computed
/// anew from the log-sum-exp: keeping them would cost T numbers per row.
template <typename T>
void attention_backward(const AttentionShape& shape, T scale, Heads<const T> q, Heads<const T> k,
                        Heads<const T> v, Heads<const T> dout, const T* log_sum, Heads<T> dq,
                        Heads<T> dk, Heads<T> dv, std::int64_t first, std::int64_t last);

}  // namespace sweep
