#pragma once

#include <ATen/ATen.h>

#include <string>

#include "gpt/dropout.h"
#include "gpt/qk_norm.h"

namespace sweep {

/// The same out of LibTorch's operators, on every device and with dropout on the probabilities.
at::Tensor plain_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                           const DropoutDraw* draw, const std::string& where);

/// softmax(scale q k^T + causal mask) v, with dropout on the probabilities when `draw` is given.
/// q, k, v and the result are (B, T, H, Dh).
at::Tensor causal_attention(const QueriesAndKeys& qk, const at::Tensor& v, double dropout_p,
                            const DropoutDraw* draw, const std::string& where);

}  // namespace sweep
