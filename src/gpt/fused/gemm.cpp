// One kernel: a tile of a few rows of `a` by a few registers of a panel, all sums in registers.
// Each instruction set has the shape that fills its registers; what is computed is the same.
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

// The kernel's shape: kTileRows x (kRegisters * kStep) sums, as many as stay in the registers.
constexpr std::int64_t kStep = kNativeBytes / sizeof(float);
constexpr std::int64_t kMostRegisters = kInstructionSet == InstructionSet::kGeneric ? 6 : 3;

/// Where the kernel finds its rows of `a`: each by a pointer, `step` apart in k.
struct RowPointers {
  const float* row[kTileRows];
  std::int64_t step;
};

/// The first `valid` rows from row i on; rows beyond them are taken to be the first.
RowPointers rows_from(const Strided& a, std::int64_t i, std::int64_t valid) {
  RowPointers pointers;
  pointers.step = a.column;
  for (std::int64_t r = 0; r < kTileRows; ++r) {
    pointers.row[r] = a.data + (i + (r < valid ? r : 0)) * a.row;
  }
  return pointers;
}

/// A full tile, kRegisters wide, of c. Not inlined: it needs all registers for itself.
template <std::int64_t kRegisters>
[[gnu::noinline]] void multiply_tile(const RowPointers& a, const float* b, std::int64_t depth,
                                     const RowMajor& c, bool add) {
  Native<float> sum[kTileRows][kRegisters] = {};
  // c lies far away more often than not: fetched while the sums are formed, it is there in time.
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) {
      fetch<kFirstCache>(c.data + r * c.stride + j * kStep, kStep);
    }
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    Native<float> factor[kRegisters];
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) {
      std::memcpy(&factor[j], b + k * kPanelColumns + j * kStep, sizeof factor[j]);
    }
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const Native<float> x = native_lanes(a.row[r][k * a.step]);
#pragma GCC unroll 8
      for (std::int64_t j = 0; j < kRegisters; ++j) {
        sum[r][j] = fused<float>(x, factor[j], sum[r][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) {
      float* to = c.data + r * c.stride + j * kStep;
      Native<float> before = {};
      if (add) {
        std::memcpy(&before, to, sizeof before);
        sum[r][j] = before + sum[r][j];
      }
      std::memcpy(to, &sum[r][j], sizeof sum[r][j]);
    }
  }
}

/// A tile of which `rows` rows and `columns` columns belong to c goes through a copy.
template <std::int64_t kRegisters>
void multiply_edge(const RowPointers& a, const float* b, std::int64_t depth, const RowMajor& c,
                   std::int64_t rows, std::int64_t columns, bool add) {
  constexpr std::int64_t kColumns = kRegisters * kStep;
  float copy[kTileRows * kColumns] = {};
  const std::size_t bytes = static_cast<std::size_t>(columns) * sizeof(float);
  for (std::int64_t r = 0; add && r < rows; ++r) {
    std::memcpy(copy + r * kColumns, c.data + r * c.stride, bytes);
  }
  multiply_tile<kRegisters>(a, b, depth, {copy, kColumns}, add);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::memcpy(c.data + r * c.stride, copy + r * kColumns, bytes);
  }
}

/// `rows` rows by the first `columns` columns of one panel, with as many registers as they need.
template <std::int64_t kRegisters>
void multiply_panel(const Strided& a, std::int64_t rows, const float* panel, std::int64_t depth,
                    const RowMajor& c, std::int64_t columns, bool add) {
  constexpr std::int64_t kColumns = kRegisters * kStep;
  if constexpr (kRegisters > 1) {
    if (columns <= kColumns - kStep) {
      return multiply_panel<kRegisters - 1>(a, rows, panel, depth, c, columns, add);
    }
  }
  for (std::int64_t i = 0; i < rows; i += kTileRows) {
    const std::int64_t valid = std::min(kTileRows, rows - i);
    const RowPointers pointers = rows_from(a, i, valid);
    const RowMajor to{c.data + i * c.stride, c.stride};
    if (valid == kTileRows && columns >= kColumns) {
      multiply_tile<kRegisters>(pointers, panel, depth, to, add);
    } else {
      multiply_edge<kRegisters>(pointers, panel, depth, to, valid, std::min(columns, kColumns),
                                add);
    }
  }
}

/// One link of the chain: `depth` numbers of each row of `a`.
void multiply_link(const Strided& a, std::int64_t rows, const float* b, std::int64_t depth,
                   const Panels& panels, const RowMajor& c, bool add) {
  constexpr std::int64_t kColumns = kMostRegisters * kStep;
  for (std::int64_t j = 0; j < panels.columns; j += kColumns) {
    const std::int64_t panel = j / kPanelColumns * kPanelColumns;
    multiply_panel<kMostRegisters>(a, rows, b + panel * panels.depth + j - panel, depth,
                                   {c.data + j, c.stride}, panels.columns - j, add);
  }
}

void multiply(const Strided& a, std::int64_t rows, const Panels& b, const RowMajor& c, Into into) {
  for (std::int64_t k = 0; k < b.depth; k += kChain) {
    for (std::int64_t i = 0; i < rows; i += kRowsPerBlock) {
      multiply_link({a.data + i * a.row + k * a.column, a.row, a.column},
                    std::min(kRowsPerBlock, rows - i), b.data + k * kPanelColumns,
                    std::min(kChain, b.depth - k), b, {c.data + i * c.stride, c.stride},
                    into == Into::kAdd || k > 0);
    }
  }
}

#endif
