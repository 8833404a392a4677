// Sums over rows are taken in blocks: 64 rows in float32, then added. A chain over all rows would
// lose digits, and float64 time.
#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/norm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/norm.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

void norm_forward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                  const float* gain, const float* bias, float* y, std::int64_t y_stride,
                  RowScale* scales) {
  SWEEP_DISPATCH(norm_forward(norm, rows, x, x_stride, gain, bias, y, y_stride, scales));
}

void norm_backward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                   const RowScale* scales, const float* gain, const float* dy,
                   std::int64_t dy_stride, const NormGradients& to) {
  SWEEP_DISPATCH(norm_backward(norm, rows, x, x_stride, scales, gain, dy, dy_stride, to));
}

void add_column_sums(const float* dy, std::int64_t rows, std::int64_t size, float* scratch,
                     float* to) {
  SWEEP_DISPATCH(add_column_sums(dy, rows, size, scratch, to));
}

void add_to_rows(const float* row, std::int64_t rows, std::int64_t size, float* to) {
  SWEEP_DISPATCH(add_to_rows(row, rows, size, to));
}

}  // namespace sweep

#else

constexpr std::int64_t kRowsPerBlock = 64;
constexpr std::int64_t kRowsAhead = 4;

using Kind = RowNorm::Kind;

float inverse_of(const RowNorm& norm, float squares, float count) {
  const auto eps = static_cast<float>(norm.eps);
  if (norm.kind != Kind::kLength) return 1 / std::sqrt(squares / count + eps);
  const float length = std::sqrt(squares);
  return 1 / (length < eps ? eps : length);  // a NaN stays one
}

Floats centred(const float* x, std::int64_t i, std::int64_t n, const Floats& centre) {
  return keep_first(load_first(x + i, n) - centre, n);
}

RowScale scale_of(const RowNorm& norm, const float* x, std::int64_t size) {
  const auto count = static_cast<float>(size);
  float centre = 0;
  if (norm.kind == Kind::kLayer) {
    Floats sums = {};
    for_each_lanes(size, [&](std::int64_t i, auto n) { sums += load_first(x + i, n); });
    centre = sum_of<float>(sums) / count;
  }
  const Floats centres = all_lanes(centre);
  Floats squares = {};
  for_each_lanes(size, [&](std::int64_t i, auto n) {
    const Floats c = centred(x, i, n, centres);
    squares = multiply_add(c, c, squares);
  });
  return {centre, inverse_of(norm, sum_of<float>(squares), count)};
}

void normalise_row(const RowScale& scale, const float* x, std::int64_t size, const float* gain,
                   const float* bias, float* y) {
  const Floats centre = all_lanes(scale.centre);
  const Floats inverse = all_lanes(scale.inverse);
  for_each_lanes(size, [&](std::int64_t i, auto n) {
    Floats u = centred(x, i, n, centre) * inverse;
    if (gain != nullptr) u *= load_first(gain + i, n);
    if (bias != nullptr) u = u + load_first(bias + i, n);
    store_first(y + i, u, n);
  });
}

template <typename Visit>
void for_each_row(const NormRows& rows, std::int64_t x_stride, std::int64_t y_stride, Visit visit) {
  for (std::int64_t o = 0; o < rows.outer; ++o) {
    for (std::int64_t i = 0; i < rows.inner; ++i) {
      visit(o * x_stride + i * rows.size, o * y_stride + i * rows.size);
    }
  }
}

void norm_forward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                  const float* gain, const float* bias, float* y, std::int64_t y_stride,
                  RowScale* scales) {
  for_each_row(rows, x_stride, y_stride, [&](std::int64_t from, std::int64_t to) {
    *scales = scale_of(norm, x + from, rows.size);
    normalise_row(*scales, x + from, rows.size, gain, bias, y + to);
    ++scales;
  });
}

/// Gathers sums over rows, of which a block's are kept apart.
class ColumnSums {
 public:
  ColumnSums(std::int64_t size, float* block, float* total)
      : size_(size), block_(block), total_(total) {
    std::fill_n(block_, padded(size_), 0.0F);
  }

  void add(std::int64_t i, const Floats& lanes) {
    store<float>(block_ + i, load(block_ + i) + lanes);
  }

  void end_row() {
    if (++rows_ == kRowsPerBlock) flush();
  }

  void flush() {
    rows_ = 0;
    for (std::int64_t i = 0; i < size_; ++i) total_[i] += block_[i];
    std::fill_n(block_, padded(size_), 0.0F);
  }

 private:
  std::int64_t size_;
  float* block_;
  float* total_;
  std::int64_t rows_ = 0;
};

/// What is lost of the gradient along the row: none of it where a row is shorter than eps.
float share_along(const RowNorm& norm, const RowScale& scale, float count) {
  if (norm.kind != Kind::kLength) return 1 / count;
  return scale.inverse == 1 / static_cast<float>(norm.eps) ? 0.0F : 1.0F;
}

void backward_row(const RowNorm& norm, std::int64_t size, const float* x, const RowScale& scale,
                  const float* gain, const float* dy, float* dx, bool add_x, ColumnSums* dgain,
                  ColumnSums* dbias) {
  const auto count = static_cast<float>(size);
  const Floats centre = all_lanes(scale.centre);
  const Floats inverse = all_lanes(scale.inverse);
  Floats sums = {};
  Floats along = {};
  for_each_lanes(size, [&](std::int64_t i, auto n) {
    const Floats u = centred(x, i, n, centre) * inverse;
    Floats du = load_first(dy + i, n);
    if (dgain != nullptr) dgain->add(i, du * u);
    if (dbias != nullptr) dbias->add(i, du);
    if (gain != nullptr) du *= load_first(gain + i, n);
    sums += du;
    along = multiply_add(du, u, along);
  });
  const float mean = norm.kind == Kind::kLayer ? sum_of<float>(sums) / count : 0.0F;
  const Floats means = all_lanes(mean);
  const Floats shares = all_lanes(-sum_of<float>(along) * share_along(norm, scale, count));
  for_each_lanes(size, [&](std::int64_t i, auto n) {
    const Floats u = centred(x, i, n, centre) * inverse;
    Floats du = load_first(dy + i, n);
    if (gain != nullptr) du *= load_first(gain + i, n);
    const Floats rest = multiply_add(u, shares, du - means);
    const Floats before = add_x ? load_first(dx + i, n) : Floats{};
    store_first(dx + i, multiply_add(rest, inverse, before), n);
  });
}

void norm_backward(const RowNorm& norm, const NormRows& rows, const float* x, std::int64_t x_stride,
                   const RowScale* scales, const float* gain, const float* dy,
                   std::int64_t dy_stride, const NormGradients& to) {
  ColumnSums dgain(rows.size, to.scratch, to.gain);
  ColumnSums dbias(rows.size, to.scratch + padded(rows.size), to.bias);
  for (std::int64_t o = 0; o < rows.outer; ++o) {
    // Both lie far away since the forward pass.
    const std::int64_t ahead = std::min(o + kRowsAhead, rows.outer - 1);
    fetch<kFirstCache>(x + ahead * x_stride, rows.inner * rows.size);
    fetch<kFirstCache>(to.x + ahead * to.stride, rows.inner * rows.size);
    for (std::int64_t i = 0; i < rows.inner; ++i) {
      const std::int64_t at = i * rows.size;
      backward_row(norm, rows.size, x + o * x_stride + at, *scales++, gain, dy + o * dy_stride + at,
                   to.x + o * to.stride + at, to.add_x, to.gain != nullptr ? &dgain : nullptr,
                   to.bias != nullptr ? &dbias : nullptr);
      if (to.gain != nullptr) dgain.end_row();
      if (to.bias != nullptr) dbias.end_row();
    }
  }
  if (to.gain != nullptr) dgain.flush();
  if (to.bias != nullptr) dbias.flush();
}

void add_column_sums(const float* dy, std::int64_t rows, std::int64_t size, float* scratch,
                     float* to) {
  ColumnSums sums(size, scratch, to);
  for (std::int64_t r = 0; r < rows; ++r) {
    for_each_lanes(size,
                   [&](std::int64_t i, auto n) { sums.add(i, load_first(dy + r * size + i, n)); });
    sums.end_row();
  }
  sums.flush();
}

void add_to_rows(const float* row, std::int64_t rows, std::int64_t size, float* to) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < size; ++i) to[r * size + i] += row[i];
  }
}

#endif
