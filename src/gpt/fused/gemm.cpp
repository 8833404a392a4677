// One kernel: a few rows of `a` by a few registers of a panel, all sums in registers. It is
// compiled for each instruction set with the shape that fills that one's registers; what it
// computes is the same.
#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/gemm.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

std::int64_t panel_size(std::int64_t depth, std::int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns * kPanelColumns * depth;
}

void multiply(const Strided& a, std::int64_t rows, const Panels& b, const RowMajor& c, Into into) {
  SWEEP_DISPATCH(multiply(a, rows, b, c, into));
}

}  // namespace sweep

#else

constexpr std::int64_t kRowsPerBlock = 64;  // of `a`, which stay in the cache from panel to panel

/// The shape of the kernel: rows x (registers * lanes) sums, as many as stay in registers.
struct Best {
  static constexpr bool kWide = kInstructionSet == InstructionSet::kAvx512;
  static constexpr bool kNarrow = kInstructionSet == InstructionSet::kGeneric;
  static constexpr std::int64_t kLanes = kNativeBytes / sizeof(float);
  static constexpr std::int64_t kRows = kWide ? 8 : 4;
  static constexpr std::int64_t kRegisters = kNarrow ? 6 : 3;  // ARM has 32 registers of four
  static constexpr std::int64_t kColumns = kLanes * kRegisters;
  using Vector = Native<float>;
};

/// Where the kernel finds its rows of `a`: each by a pointer, `step` apart in k.
template <std::int64_t kRows>
struct RowPointers {
  const float* row[kRows];
  std::int64_t step;
};

/// The sums of `kRegisters` registers of columns; `valid` of the rows are stored.
template <typename S, std::int64_t kRegisters>
[[gnu::always_inline]] inline void multiply_tile(const RowPointers<S::kRows>& a, const float* b,
                                                 std::int64_t depth, float* c, std::int64_t stride,
                                                 std::int64_t valid, bool add) {
  using Vector = typename S::Vector;
  Vector sum[S::kRows][kRegisters] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector factor[kRegisters];
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) {
      std::memcpy(&factor[j], b + k * kPanelColumns + j * S::kLanes, sizeof(Vector));
    }
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < S::kRows; ++r) {
      const Vector x = native_lanes(a.row[r][k * a.step]);
#pragma GCC unroll 8
      for (std::int64_t j = 0; j < kRegisters; ++j) {
        sum[r][j] = fused<float>(x, factor[j], sum[r][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < S::kRows; ++r) {
    if (r >= valid) break;
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) {
      float* to = c + r * stride + j * S::kLanes;
      if (add) {
        Vector before;
        std::memcpy(&before, to, sizeof before);
        sum[r][j] = before + sum[r][j];
      }
      std::memcpy(to, &sum[r][j], sizeof(Vector));
    }
  }
}

/// As many registers as the columns need; those that end within a register go through a copy.
template <typename S, std::int64_t kRegisters>
[[gnu::always_inline]] inline void multiply_columns(const RowPointers<S::kRows>& a, const float* b,
                                                    std::int64_t depth, RowMajor c,
                                                    std::int64_t valid, std::int64_t columns,
                                                    bool add) {
  if constexpr (kRegisters > 1) {
    if (columns <= (kRegisters - 1) * S::kLanes) {
      return multiply_columns<S, kRegisters - 1>(a, b, depth, c, valid, columns, add);
    }
  }
  constexpr std::int64_t kTile = kRegisters * S::kLanes;
  if (columns >= kTile) {
    return multiply_tile<S, kRegisters>(a, b, depth, c.data, c.stride, valid, add);
  }
  float copy[S::kRows * kTile] = {};
  const std::size_t bytes = static_cast<std::size_t>(columns) * sizeof(float);
  for (std::int64_t r = 0; add && r < valid; ++r) {
    std::memcpy(copy + r * kTile, c.data + r * c.stride, bytes);
  }
  multiply_tile<S, kRegisters>(a, b, depth, copy, kTile, valid, add);
  for (std::int64_t r = 0; r < valid; ++r) {
    std::memcpy(c.data + r * c.stride, copy + r * kTile, bytes);
  }
}

/// A tile's rows beyond the last are taken to be its first: computed, and not stored.
template <typename S>
[[gnu::always_inline]] inline RowPointers<S::kRows> rows_from(const Strided& a, std::int64_t i,
                                                              std::int64_t valid) {
  RowPointers<S::kRows> pointers;
  pointers.step = a.column;
  for (std::int64_t r = 0; r < S::kRows; ++r) {
    pointers.row[r] = a.data + (i + (r < valid ? r : 0)) * a.row;
  }
  return pointers;
}

/// `rows` rows by `columns` columns of one panel.
template <typename S>
[[gnu::always_inline]] inline void multiply_panel(const Strided& a, std::int64_t rows,
                                                  const float* panel, std::int64_t depth,
                                                  RowMajor c, std::int64_t columns, bool add) {
  for (std::int64_t j = 0; j < columns; j += S::kColumns) {
    for (std::int64_t i = 0; i < rows; i += S::kRows) {
      const std::int64_t valid = std::min(S::kRows, rows - i);
      multiply_columns<S, S::kRegisters>(rows_from<S>(a, i, valid), panel + j, depth,
                                         {c.data + i * c.stride + j, c.stride}, valid, columns - j,
                                         add);
    }
  }
}

template <typename S>
[[gnu::always_inline]] inline void multiply_all(const Strided& a, std::int64_t rows,
                                                const Panels& b, RowMajor c, bool add) {
  for (std::int64_t k = 0; k < b.depth; k += kChain) {
    const std::int64_t depth = std::min(kChain, b.depth - k);
    for (std::int64_t i = 0; i < rows; i += kRowsPerBlock) {
      const Strided block{a.data + i * a.row + k * a.column, a.row, a.column};
      for (std::int64_t j = 0; j < b.columns; j += kPanelColumns) {
        multiply_panel<S>(block, std::min(kRowsPerBlock, rows - i),
                          b.data + j * b.depth + k * kPanelColumns, depth,
                          {c.data + i * c.stride + j, c.stride},
                          std::min(kPanelColumns, b.columns - j), add || k > 0);
      }
    }
  }
}

void multiply(const Strided& a, std::int64_t rows, const Panels& b, const RowMajor& c, Into into) {
  multiply_all<Best>(a, rows, b, c, into == Into::kAdd);
}

#endif
