#include "gpt/qk_norm.h"

#include <cmath>

namespace sweep {
namespace {

constexpr double kNormEps = 1e-6;
constexpr double kL2Eps = 1e-12;

at::Tensor rms(const at::Tensor& x) { return x * x.square().mean(-1, true).add(kNormEps).rsqrt(); }

at::Tensor rms_full(const at::Tensor& x, const at::Tensor& gain) {
  return (rms(x.flatten(-2)) * gain).view(x.sizes());  // over (d), gain (d)
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& gain) {
  return at::layer_norm(x, {x.size(-1)}, gain, {}, kNormEps);
}

at::Tensor l2(const at::Tensor& x) { return x / x.norm(2, -1, true).clamp_min(kL2Eps); }

}  // namespace

QueriesAndKeys normalise(QkNorm variant, const at::Tensor& q, const at::Tensor& k,
                         const QkNormParameters& parameters) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const auto& [q_gain, k_gain, g] = parameters;
  switch (variant) {
    case QkNorm::kNone:
      break;
    case QkNorm::kRmsPerHead:
      return {rms(q) * q_gain, rms(k) * k_gain, scale};
    case QkNorm::kLnPerHead:
      return {layer_norm(q, q_gain), layer_norm(k, k_gain), scale};
    case QkNorm::kRmsFull:
      return {rms_full(q, q_gain), rms_full(k, k_gain), scale};
    case QkNorm::kRmsNoaffine:
      return {rms(q), rms(k), scale};
    case QkNorm::kL2Scalar:
      return {l2(q) * g, l2(k), 1};
  }
  return {q, k, scale};
}

}  // namespace sweep
