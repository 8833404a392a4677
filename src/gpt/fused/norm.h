#pragma once

#include <cstdint>

#include "gpt/kernels/row_norm_kernel.h"

namespace sweep {

/// `outer` times `inner` rows of `size` numbers; the inner ones lie one after another, the outer
/// ones `stride` apart.
struct NormRows {
  std::int64_t outer;
  std::int64_t inner;
  std::int64_t size;
};

/// What a row was normalised by.
struct RowScale {
  float centre;
  float inverse;
};

/// y = gain u + bias with u = (x - centre) * inverse as `RowNorm` has them. Null: gains of one,
/// biases of zero. Leaves centre and inverse of each row in `scales`, for the backward pass.
void norm_forward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                  const float* gain, const float* bias, float* y, std::int64_t y_stride,
                  RowScale* scales);

/// Where the gradients of a norm go: those of gains and biases, which may be null, are added to,
/// that of x is set unless `add_x`. `scratch` has room for 2 * padded(size) numbers.
struct NormGradients {
  float* x;
  std::int64_t stride;
  bool add_x;
  float* gain;
  float* bias;
  float* scratch;
};

/// With du = gain dy, over a row of n:
///   rms     dx += inverse (du - u sum(du u) / n)
///   layer   dx += inverse (du - sum(du) / n - u sum(du u) / n)
///   length  dx += inverse (du - u sum(du u))
///   dgain += sum over rows of dy u, dbias += sum over rows of dy
void norm_backward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                   const RowScale* scales, const float* gain, const float* dy,
                   std::int64_t dy_stride, const NormGradients& to);

/// to (size) += the sum over `rows` of dy: the gradient of a bias. `scratch` has room for
/// padded(size) numbers.
void add_column_sums(const float* dy, std::int64_t rows, std::int64_t size, float* scratch,
                     float* to);

/// to (rows x size) += row, for each row.
void add_to_rows(const float* row, std::int64_t rows, std::int64_t size, float* to);

/// Whole lanes that hold `size` numbers.
constexpr std::int64_t padded(std::int64_t size) { return (size + 15) / 16 * 16; }

}  // namespace sweep
