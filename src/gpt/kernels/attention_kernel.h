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

template <typename T>
struct AttentionInputs {
  Heads<const T> q, k, v;
};
template <typename T>
struct AttentionGradients {
  Heads<T> dq, dk, dv;
};

/// Heads [first, last) of the B*H: each is computed on its own.
struct HeadRange {
  std::int64_t first;
  std::int64_t last;
};

/// Numbers that the kernels need as working memory, for either pass.
template <typename T>
std::int64_t attention_workspace(const AttentionShape& shape);

/// What `measure.mechanism` needs of each row (B, H, T), written while its weights are in the
/// cache.
template <typename T>
struct AttentionRows {
  T* max_logit;      ///< after the scale, of the causal ones; NaN where one was not finite
  T* max_abs_logit;  ///< the same without sign
  T* entropy;        ///< of its weights, in nats
  T* first;          ///< the weight of the first key
};

/// out = softmax(scale q k^T + causal mask) v, and each row's log-sum-exp (B, H, T), which the
/// backward pass needs. A NaN or an overflow in a row makes that row of `out` NaN. Float32 and
/// float64. `measured`: null where nothing is; it changes no bit of the rest.
template <typename T>
void attention_forward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
                       const Heads<T>& out, T* log_sum, HeadRange range, T* workspace,
                       const AttentionRows<T>* measured = nullptr);

/// The gradients of the same, given that of `out`. Probabilities are computed anew from the
/// log-sum-exp: keeping them would cost T numbers per row.
template <typename T>
void attention_backward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
                        const Heads<const T>& dout, const T* log_sum,
                        const AttentionGradients<T>& gradients, HeadRange range, T* workspace);

}  // namespace sweep
