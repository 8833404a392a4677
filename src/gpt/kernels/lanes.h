#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// Compiles a function, with all that it calls, for several generations of x86; which one runs is
// chosen when the program starts.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define SWEEP_KERNEL \
  __attribute__((flatten, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SWEEP_KERNEL __attribute__((flatten))
#endif

namespace sweep {

/// 64 bytes of numbers that are computed with at once, whatever the processor's registers hold.
template <typename T>
struct LanesOf {
  using Type [[gnu::vector_size(64)]] = T;
};
template <typename T>
using Lanes = typename LanesOf<T>::Type;

template <typename T>
inline constexpr std::int64_t kLanes = 64 / sizeof(T);

template <typename T>
constexpr std::int64_t whole_lanes(std::int64_t n) {
  return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

template <typename T>
Lanes<T> load(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <typename T>
void store(T* to, const Lanes<T>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

template <typename T>
Lanes<T> all_lanes(T x) {
  return x - Lanes<T>{};  // keeps the sign of a zero, as x + 0 would not
}

/// a b + c, lane by lane and rounded once, for any vector type. Kernels are compiled without
/// contraction: where a product is fused with a sum hangs on no compiler and no instruction set.
/// A processor without the instruction gets the same bits from the C library, slowly.
template <typename Vector>
[[gnu::always_inline]] inline Vector multiply_add(const Vector& a, const Vector& b, Vector c) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(a[0]); ++i) c[i] = std::fma(a[i], b[i], c[i]);
  return c;
}

/// Four numbers, which every processor computes with at once.
template <typename T>
struct FourOf {
  using Type [[gnu::vector_size(4 * sizeof(T))]] = T;
};
template <typename T>
using Four = typename FourOf<T>::Type;

template <typename T>
Four<T> load_four(const T* from) {
  Four<T> four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

template <typename T>
void store_four(T* to, const Four<T>& four) {
  std::memcpy(to, &four, sizeof four);
}

/// Folds the lanes by halving until four are left.
template <typename T, typename Fold>
Four<T> fold_to_four(const Lanes<T>& x, Fold fold_two) {
  if constexpr (kLanes<T> == 16) {
    const auto half = fold_two(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                               __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
    return fold_two(__builtin_shufflevector(half, half, 0, 1, 2, 3),
                    __builtin_shufflevector(half, half, 4, 5, 6, 7));
  } else {
    return fold_two(__builtin_shufflevector(x, x, 0, 1, 2, 3),
                    __builtin_shufflevector(x, x, 4, 5, 6, 7));
  }
}

/// A square of four by four, transposed.
template <typename T>
void transpose(Four<T> (&rows)[4]) {
  const Four<T> low_ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four<T> high_ab = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Four<T> low_cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Four<T> high_cd = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
}

/// Writes a square of four by four transposed.
template <typename T>
void transpose_four(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  Four<T> rows[4];
  for (std::int64_t i = 0; i < 4; ++i) rows[i] = load_four(from + i * from_stride);
  transpose<T>(rows);
  for (std::int64_t i = 0; i < 4; ++i) store_four<T>(to + i * to_stride, rows[i]);
}

/// Folds all lanes of four vectors at once, each by halving: an order that no compiler changes, and
/// the same for a vector alone.
template <typename T, typename Fold>
Four<T> fold_each(const Lanes<T> (&x)[4], Fold fold_two) {
  Four<T> rows[4];
  for (std::int64_t i = 0; i < 4; ++i) rows[i] = fold_to_four<T>(x[i], fold_two);
  transpose<T>(rows);
  return fold_two(fold_two(rows[0], rows[2]), fold_two(rows[1], rows[3]));
}

template <typename T>
Four<T> sums_of(const Lanes<T> (&x)[4]) {
  return fold_each<T>(x, [](const auto& a, const auto& b) { return a + b; });
}

/// Largest lane of each; NaN among them may be passed over.
template <typename T>
Four<T> largest_of(const Lanes<T> (&x)[4]) {
  return fold_each<T>(x, [](const auto& a, const auto& b) { return b > a ? b : a; });
}

template <typename T, typename Fold>
T fold(const Lanes<T>& x, Fold fold_two) {
  const Four<T> four = fold_to_four<T>(x, fold_two);
  const Four<T> two = fold_two(four, __builtin_shufflevector(four, four, 2, 3, 0, 1));
  return fold_two(two, __builtin_shufflevector(two, two, 1, 0, 3, 2))[0];
}

template <typename T>
T sum_of(const Lanes<T>& lanes) {
  return fold<T>(lanes, [](const auto& a, const auto& b) { return a + b; });
}

/// Largest lane; NaN among them may be passed over.
template <typename T>
T largest_of(const Lanes<T>& lanes) {
  return fold<T>(lanes, [](const auto& a, const auto& b) { return b > a ? b : a; });
}

}  // namespace sweep
