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

/// `width` neighbours of each of `depth` rows, filled up with zeros.
void copy_strip(const float* from, std::int64_t stride, std::int64_t depth, std::int64_t width,
                float* to) {
  for (std::int64_t k = 0; k < depth; ++k, from += stride, to += kPanelColumns) {
    if (width == kPanelColumns) {
      std::memcpy(to, from, kPanelColumns * sizeof(float));
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(width) * sizeof(float));
      std::fill(to + width, to + kPanelColumns, 0.0F);
    }
  }
}

constexpr std::int64_t kBlock = 16;  // of k: one cache line of each column

/// The same of a matrix that is stored transposed.
void transpose_strip(const float* from, std::int64_t stride, std::int64_t depth, std::int64_t width,
                     float* to) {
  for (std::int64_t k = 0; k < depth; k += kBlock) {
    const std::int64_t end = std::min(k + kBlock, depth);
    for (std::int64_t j = 0; j < width; ++j) {
      const float* column = from + j * stride;
      for (std::int64_t i = k; i < end; ++i) to[i * kPanelColumns + j] = column[i];
    }
    for (std::int64_t i = k; i < end; ++i) {
      for (std::int64_t j = width; j < kPanelColumns; ++j) to[i * kPanelColumns + j] = 0;
    }
  }
}

void write_panels(const Strided& b, std::int64_t depth, std::int64_t columns, float* to) {
  for (std::int64_t j = 0; j < columns; j += kPanelColumns) {
    const std::int64_t width = std::min(kPanelColumns, columns - j);
    if (b.column == 1) {
      copy_strip(b.data + j, b.row, depth, width, to + j * depth);
    } else {
      transpose_strip(b.data + j * b.column, b.column, depth, width, to + j * depth);
    }
  }
}

#endif
