#include "gpt/attention.h"

#include <limits>

namespace sweep {
namespace {
at::Tensor future_mask(const at::Tensor& like, std::int64_t length) {
  return at::full({length, length}, -std::numeric_limits<double>::infinity(), like.options())
      .triu(1);
}
}  // namespace

at::Tensor causal_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                            const DropoutDraw* draw, const std::string& where) {
  const auto B = v.size(0), T = v.size(1), H = v.size(2), D = v.size(3);
  const at::Tensor q = qk.q.transpose(1, 2).reshape({B * H, T, D});
  const at::Tensor k = qk.k.transpose(1, 2).reshape({B * H, T, D});
  const at::Tensor values = v.transpose(1, 2).reshape({B * H, T, D});
  const at::Tensor logits = at::baddbmm(future_mask(q, T), q, k.transpose(1, 2), 1, qk.scale);
  const at::Tensor kept = dropout(at::softmax(logits, -1), dropout_p, draw, where);
  return at::bmm(kept, values).view({B, H, T, D}).transpose(1, 2);
}

}  // namespace sweep
