#include "gpt/attention.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <vector>

#include "gpt/kernels/attention_kernel.h"

namespace sweep {
namespace {

/// Heads that one thread takes at a time, at least.
constexpr std::int64_t kGrain = 4;

template <typename T>
Heads<const T> heads_of(const at::Tensor& x) {  // (B, T, H, Dh)
  return {x.const_data_ptr<T>(), x.stride(0), x.stride(1), x.stride(2)};
}

template <typename T>
Heads<T> mutable_heads_of(at::Tensor& x) {
  return {x.mutable_data_ptr<T>(), x.stride(0), x.stride(1), x.stride(2)};
}

AttentionShape shape_of(const at::Tensor& x) {
  return {x.size(0), x.size(1), x.size(2), x.size(3)};
}

/// Calls work(range, workspace) for all heads, some at a time.
template <typename T, typename Work>
void for_all_heads(const AttentionShape& shape, Work work) {
  at::parallel_for(0, shape.batch * shape.heads, kGrain,
                   [&](std::int64_t first, std::int64_t last) {
                     std::vector<T> memory(static_cast<std::size_t>(attention_workspace<T>(shape)));
                     work(HeadRange{first, last}, memory.data());
                   });
}

at::Tensor with_dense_rows(const at::Tensor& x) { return x.stride(3) == 1 ? x : x.contiguous(); }

/// The kernel for CPUs with its backward pass. LibTorch's own fused attention is not used: it turns
/// a NaN in a query into zeros, and a run that went non-finite would go on unseen.
class KernelAttention : public torch::autograd::Function<KernelAttention> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& q_in, const at::Tensor& k_in,
                            const at::Tensor& v_in, double scale) {
    const at::Tensor q = with_dense_rows(q_in);
    const at::Tensor k = with_dense_rows(k_in);
    const at::Tensor v = with_dense_rows(v_in);
    const AttentionShape shape = shape_of(q);
    at::Tensor out = at::empty(q.sizes(), q.options());
    at::Tensor log_sum = at::empty({shape.batch, shape.heads, shape.length}, q.options());
    AT_DISPATCH_FLOATING_TYPES(q.scalar_type(), "attention", [&] {
      const AttentionInputs<scalar_t> in{heads_of<scalar_t>(q), heads_of<scalar_t>(k),
                                         heads_of<scalar_t>(v)};
      const auto to = mutable_heads_of<scalar_t>(out);
      auto* sums = log_sum.mutable_data_ptr<scalar_t>();
      for_all_heads<scalar_t>(shape, [&](HeadRange range, scalar_t* workspace) {
        attention_forward<scalar_t>(shape, static_cast<scalar_t>(scale), in, to, sums, range,
                                    workspace);
      });
    });
    context->save_for_backward({q, k, v, log_sum});
    context->saved_data["scale"] = scale;
    return out;
  }

  static Tensors backward(Context* context, const Tensors& gradients) {
    const Tensors saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &log_sum = saved[3];
    const at::Tensor dout = with_dense_rows(gradients[0]);
    const double scale = context->saved_data["scale"].toDouble();
    const AttentionShape shape = shape_of(q);
    at::Tensor dq = at::empty(q.sizes(), q.options());
    at::Tensor dk = at::empty(q.sizes(), q.options());
    at::Tensor dv = at::empty(q.sizes(), q.options());
    AT_DISPATCH_FLOATING_TYPES(q.scalar_type(), "attention", [&] {
      const AttentionInputs<scalar_t> in{heads_of<scalar_t>(q), heads_of<scalar_t>(k),
                                         heads_of<scalar_t>(v)};
      const AttentionGradients<scalar_t> to{mutable_heads_of<scalar_t>(dq),
                                            mutable_heads_of<scalar_t>(dk),
                                            mutable_heads_of<scalar_t>(dv)};
      const auto* sums = log_sum.const_data_ptr<scalar_t>();
      for_all_heads<scalar_t>(shape, [&](HeadRange range, scalar_t* workspace) {
        attention_backward<scalar_t>(shape, static_cast<scalar_t>(scale), in,
                                     heads_of<scalar_t>(dout), sums, to, range, workspace);
      });
    });
    return {dq, dk, dv, at::Tensor()};
  }
};

}  // namespace

at::Tensor plain_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                           const DropoutDraw* draw, const std::string& where) {
  const at::Tensor q = qk.q.transpose(1, 2);  // (B, H, T, Dh)
  const at::Tensor k = qk.k.transpose(1, 2);
  const std::int64_t length = q.size(2);
  const at::Tensor future = at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);
  const at::Tensor logits = at::matmul(q, k.transpose(2, 3)) * qk.scale;  // (B, H, T, T)
  const at::Tensor weights =
      at::softmax(logits.masked_fill(future, -std::numeric_limits<double>::infinity()), -1);
  const at::Tensor kept = dropout(weights, dropout_p, draw, where);
  return at::matmul(kept, v.transpose(1, 2)).transpose(1, 2);
}

at::Tensor causal_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                            const DropoutDraw* draw, const std::string& where) {
  const bool drops = draw != nullptr && dropout_p > 0;
  if (drops || !v.device().is_cpu()) return plain_attention(qk, v, dropout_p, draw, where);
  return KernelAttention::apply(qk.q, qk.k, v, qk.scale);
}

}  // namespace sweep
