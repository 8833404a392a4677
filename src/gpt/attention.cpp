#include "gpt/attention.h"

#include <limits>

namespace sweep {
namespace {

at::Tensor fused(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale) {
  return at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true, scale);
}

at::Tensor explicit_probabilities(const at::Tensor& q, const at::Tensor& k, double scale) {
  const std::int64_t length = q.size(-2);
  const at::Tensor future =
      at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);  // (T, T)
  const at::Tensor logits = at::matmul(q, k.transpose(-2, -1)) * scale;  // (B, H, T, T)
  return at::softmax(logits.masked_fill(future, -std::numeric_limits<double>::infinity()), -1);
}

}  // namespace

at::Tensor causal_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                            const DropoutDraw* draw, const std::string& where) {
  const at::Tensor q = qk.q.transpose(1, 2);  // (B, H, T, Dh)
  const at::Tensor k = qk.k.transpose(1, 2);
  const at::Tensor values = v.transpose(1, 2);
  if (draw == nullptr || dropout_p == 0) return fused(q, k, values, qk.scale).transpose(1, 2);
  // The fused kernel draws its own masks, from a generator that we could not resume.
  const at::Tensor kept = dropout(explicit_probabilities(q, k, qk.scale), dropout_p, draw, where);
  return at::matmul(kept, values).transpose(1, 2);
}

}  // namespace sweep
