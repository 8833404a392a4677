#pragma once

#include <cstdint>

#include "gpt/fused/gemm.h"

namespace sweep {

/// y = x W^T + b with W (out x in). A bias and its gradient are null where the model has none.
struct Linear {
  std::int64_t in;
  std::int64_t out;
  const float* weight;
  float* weight_gradient;
  const float* bias;
  float* bias_gradient;
  float* forward_panels;   ///< W^T as panels: panel_size(in, out) numbers
  float* backward_panels;  ///< W as panels: panel_size(out, in)
};

/// Writes both kinds of panels: to be called when the weights have changed.
void pack_weights(const Linear& linear);

/// y (rows x out) = or += x W^T + b.
void linear_forward(const Linear& linear, const float* x, std::int64_t rows, float* y, Into into);

/// dx (rows x in) = dy W.
void linear_backward(const Linear& linear, const float* dy, std::int64_t rows, float* dx);

/// Working memory of `add_weight_gradient`.
struct LinearScratch {
  float* panels;  ///< panel_size(rows, in) numbers
  float* sums;    ///< padded(out)
};

/// dW += dy^T x and db += the column sums of dy.
void add_weight_gradient(const Linear& linear, const float* x, const float* dy, std::int64_t rows,
                         const LinearScratch& scratch);

}  // namespace sweep
