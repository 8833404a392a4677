// Packing moves numbers and computes nothing.
#ifndef SWEEP_IN_KERNELS

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/fused/gemm.h"
#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/pack.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

namespace {

void write_panels(const Strided& b, std::int64_t depth, std::int64_t columns, float* to) {
  SWEEP_DISPATCH(write_panels(b, depth, columns, to));
}

}  // namespace

Panels pack_panels(const Strided& b, std::int64_t depth, std::int64_t columns, float* to) {
  write_panels(b, depth, columns, to);
  return {to, depth, columns};
}

}  // namespace sweep

#else

constexpr std::int64_t kFour = 4;
constexpr std::int64_t kLine = 16;  // numbers of a cache line

/// Row k of b, which lies in one piece, goes to row k of each panel.
void copy_row(const float* row, std::int64_t columns, std::int64_t depth, float* to) {
  for (; columns >= kPanelColumns; columns -= kPanelColumns) {
    for (std::int64_t j = 0; j < kPanelColumns; j += kWidth) store(to + j, load(row + j));
    row += kPanelColumns;
    to += kPanelColumns * depth;
  }
  for (std::int64_t j = 0; columns > 0 && j < kPanelColumns; j += kWidth) {
    store(to + j, load_first(row + j, std::clamp<std::int64_t>(columns - j, 0, kWidth)));
  }
}

/// One number of a panel after another.
void copy_numbers(const Strided& b, std::int64_t depth, std::int64_t width, float* to) {
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t j = 0; j < kPanelColumns; ++j) {
      to[k * kPanelColumns + j] = j < width ? b.data[k * b.row + j * b.column] : 0.0F;
    }
  }
}

/// A full panel of a matrix whose columns lie in one piece each.
void transpose_columns(const float* columns, std::int64_t stride, std::int64_t depth, float* to) {
  const std::int64_t whole = depth / kLine * kLine;
  for (std::int64_t k = 0; k < whole; k += kLine) {
    for (std::int64_t j = 0; j < kPanelColumns; j += kFour) {
      for (std::int64_t i = k; i < k + kLine; i += kFour) {
        transpose_four(columns + j * stride + i, stride, to + i * kPanelColumns + j, kPanelColumns);
      }
    }
  }
  copy_numbers({columns + whole, 1, stride}, depth - whole, kPanelColumns,
               to + whole * kPanelColumns);
}

void write_panels(const Strided& b, std::int64_t depth, std::int64_t columns, float* to) {
  if (b.column == 1) {
    for (std::int64_t k = 0; k < depth; ++k) {
      copy_row(b.data + k * b.row, columns, depth, to + k * kPanelColumns);
    }
    return;
  }
  for (std::int64_t j = 0; j < columns; j += kPanelColumns) {
    const float* first = b.data + j * b.column;
    if (columns - j >= kPanelColumns && b.row == 1) {
      transpose_columns(first, b.column, depth, to + j * depth);
    } else {
      copy_numbers({first, b.row, b.column}, depth, std::min(columns - j, kPanelColumns),
                   to + j * depth);
    }
  }
}

#endif
