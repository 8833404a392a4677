#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/row_moments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/row_moments.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {
namespace {

/// Sizes of float32 are ordered as their bits are, without the sign.
std::uint32_t bits_of_size(float x) { return std::bit_cast<std::uint32_t>(x) & 0x7fffffffU; }

/// Bits of the k-th smallest size, k from 1: eleven bits at a time, the highest first, by counting
/// those that share the bits found so far.
std::uint32_t ranked_size(const float* x, std::int64_t count, std::int64_t k) {
  constexpr int kBits = 11;
  constexpr std::uint32_t kMask = (1U << kBits) - 1;
  std::uint32_t found = 0;
  for (const int shift : {22, 11, 0}) {
    std::array<std::int64_t, kMask + 1> counts{};
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t bits = bits_of_size(x[i]);
      const bool shares = (static_cast<std::uint64_t>(bits) >> (shift + kBits)) ==
                          (static_cast<std::uint64_t>(found) >> (shift + kBits));
      counts[(bits >> shift) & kMask] += shares ? 1 : 0;
    }
    std::uint32_t digit = 0;
    for (; k > counts[digit]; ++digit) k -= counts[digit];
    found |= digit << shift;
  }
  return found;
}

}  // namespace

RowMoments row_moments(const float* x, std::int64_t count) {
  SWEEP_DISPATCH(row_moments(x, count));
}

double median_size(const float* x, std::int64_t count) {
  const std::uint32_t lower = ranked_size(x, count, (count + 1) / 2);
  std::uint32_t upper = lower;
  if (count % 2 == 0) {
    const auto at_most =
        std::count_if(x, x + count, [&](float v) { return bits_of_size(v) <= lower; });
    if (at_most == count / 2) {
      upper = ~0U;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = bits_of_size(x[i]);
        if (bits > lower) upper = std::min(upper, bits);
      }
    }
  }
  return (static_cast<double>(std::bit_cast<float>(lower)) + std::bit_cast<float>(upper)) / 2;
}

}  // namespace sweep

#else

constexpr std::int64_t kParts = 16;  // sums side by side, folded at the end

struct Parts {
  double part[kParts] = {};

  [[nodiscard]] double sum() const {
    double total = 0;
    for (const double one : part) total += one;
    return total;
  }
};

/// Calls visit(x, part) for each number, `part` of them at a time being independent.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_number(const float* x, std::int64_t count,
                                                   Visit visit) {
  std::int64_t i = 0;
  for (; i + kParts <= count; i += kParts) {
    for (std::int64_t p = 0; p < kParts; ++p) visit(static_cast<double>(x[i + p]), p);
  }
  for (; i < count; ++i) visit(static_cast<double>(x[i]), i % kParts);
}

RowMoments row_moments(const float* x, std::int64_t count) {
  Parts sums;
  Parts squares;
  Parts fourths;
  for_each_number(x, count, [&](double v, std::int64_t p) __attribute__((always_inline)) {
    sums.part[p] += v;
    squares.part[p] += v * v;
    fourths.part[p] += v * v * (v * v);
  });
  const auto n = static_cast<double>(count);
  const double mean = sums.sum() / n;
  Parts m2;
  Parts m3;
  Parts m4;
  for_each_number(x, count, [&](double v, std::int64_t p) __attribute__((always_inline)) {
    const double d = v - mean;
    m2.part[p] += d * d;
    m3.part[p] += d * d * d;
    m4.part[p] += d * d * (d * d);
  });
  return {squares.sum(), fourths.sum(), {n, mean, m2.sum(), m3.sum(), m4.sum()}};
}

#endif
