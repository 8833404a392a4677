#include "gpt/qk_norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <optional>

#include "gpt/kernels/row_norm_kernel.h"

namespace sweep {
namespace {

using Kind = RowNorm::Kind;

/// Over what and how a variant normalises; nullopt for none.
std::optional<RowNorm> row_norm_of(QkNorm variant) {
  switch (variant) {
    case QkNorm::kNone:
      return std::nullopt;
    case QkNorm::kRmsPerHead:
    case QkNorm::kRmsFull:
    case QkNorm::kRmsNoaffine:
      return RowNorm{Kind::kRms, 1e-6};
    case QkNorm::kLnPerHead:
      return RowNorm{Kind::kLayer, 1e-6};
    case QkNorm::kL2Scalar:
      return RowNorm{Kind::kLength, 1e-12};
  }
  return std::nullopt;
}

/// (B, T, ..., n) whose rows lie as the kernel wants them: as they are in the packed q, k, v, or
/// in a copy.
at::Tensor with_regular_rows(const at::Tensor& x) {
  const std::int64_t inner = x.dim() == 4 ? x.size(2) : 1;
  const bool inner_dense = x.stride(-1) == 1 && (inner == 1 || x.stride(2) == x.size(-1));
  const bool outer_even = x.size(0) == 1 || x.stride(0) == x.size(1) * x.stride(1);
  return inner_dense && outer_even ? x : x.contiguous();
}

template <typename T>
Rows<const T> rows_of(const at::Tensor& x) {
  return {x.const_data_ptr<T>(), x.size(0) * x.size(1), x.dim() == 4 ? x.size(2) : 1, x.size(-1),
          x.stride(1)};
}

template <typename T>
const T* data_or_null(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? nullptr : tensor.const_data_ptr<T>();
}

/// The kernel for CPUs with its backward pass. An empty gain stands for ones.
class KernelRowNorm : public torch::autograd::Function<KernelRowNorm> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& x_in, const at::Tensor& gain,
                            std::int64_t kind, double eps) {
    const at::Tensor x = with_regular_rows(x_in);
    at::Tensor y = at::empty(x.sizes(), x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_norm", [&] {
      row_norm_forward<scalar_t>({static_cast<Kind>(kind), eps}, rows_of<scalar_t>(x),
                                 data_or_null<scalar_t>(gain), y.mutable_data_ptr<scalar_t>());
    });
    context->save_for_backward({x, gain});
    context->saved_data["kind"] = kind;
    context->saved_data["eps"] = eps;
    return y;
  }

  static Tensors backward(Context* context, const Tensors& gradients) {
    const Tensors saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &gain = saved[1];
    const at::Tensor dy = gradients[0].contiguous();
    const RowNorm norm{static_cast<Kind>(context->saved_data["kind"].toInt()),
                       context->saved_data["eps"].toDouble()};
    at::Tensor dx = at::empty(x.sizes(), x.options());
    at::Tensor dgain = at::zeros(x.size(-1), at::kDouble);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_norm", [&] {
      row_norm_backward<scalar_t>(norm, rows_of<scalar_t>(x), data_or_null<scalar_t>(gain),
                                  dy.const_data_ptr<scalar_t>(), dx.mutable_data_ptr<scalar_t>(),
                                  dgain.mutable_data_ptr<double>());
    });
    if (gain.numel() == 0) return {dx, at::Tensor(), at::Tensor(), at::Tensor()};
    return {dx, dgain.to(gain.scalar_type()), at::Tensor(), at::Tensor()};
  }
};

at::Tensor plain_row_norm(const RowNorm& norm, const at::Tensor& x, const at::Tensor& gain) {
  const at::Tensor centred = norm.kind == Kind::kLayer ? x - x.mean(-1, true) : x;
  const at::Tensor unit = norm.kind == Kind::kLength
                              ? centred / centred.norm(2, -1, true).clamp_min(norm.eps)
                              : centred * centred.square().mean(-1, true).add(norm.eps).rsqrt();
  return gain.defined() ? unit * gain : unit;
}

at::Tensor row_norm(const RowNorm& norm, const at::Tensor& x, const at::Tensor& gain) {
  if (!x.device().is_cpu()) return plain_row_norm(norm, x, gain);
  return KernelRowNorm::apply(x, gain.defined() ? gain : at::empty({0}, x.options()),
                              static_cast<std::int64_t>(norm.kind), norm.eps);
}

using RowNormFunction = at::Tensor (*)(const RowNorm&, const at::Tensor&, const at::Tensor&);

QueriesAndKeys normalise_by(RowNormFunction function, QkNorm variant, const at::Tensor& q,
                            const at::Tensor& k, const QkNormParameters& parameters) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const std::optional<RowNorm> norm = row_norm_of(variant);
  if (!norm) return {q, k, scale};
  const auto over_axis = [&](const at::Tensor& x, const at::Tensor& gain) {
    if (variant != QkNorm::kRmsFull) return function(*norm, x, gain);
    return function(*norm, x.flatten(2), gain).view(x.sizes());  // over the whole width
  };
  const at::Tensor unit_q = over_axis(q, parameters.q_gain);
  const at::Tensor unit_k = over_axis(k, parameters.k_gain);
  if (variant == QkNorm::kL2Scalar) return {unit_q * parameters.scale, unit_k, 1};
  return {unit_q, unit_k, scale};
}

}  // namespace

QueriesAndKeys normalise(QkNorm variant, const at::Tensor& q, const at::Tensor& k,
                         const QkNormParameters& parameters) {
  return normalise_by(row_norm, variant, q, k, parameters);
}

QueriesAndKeys plain_normalise(QkNorm variant, const at::Tensor& q, const at::Tensor& k,
                               const QkNormParameters& parameters) {
  return normalise_by(plain_row_norm, variant, q, k, parameters);
}

}  // namespace sweep
