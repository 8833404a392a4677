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

/// The lanes moved down by N places, those at the bottom to the top.
template <int N>
Lanes<float> rotate(const Lanes<float>& x) {
  return __builtin_shufflevector(x, x, N, N + 1, N + 2, N + 3, N + 4, N + 5, N + 6, N + 7, N + 8,
                                 N + 9, N + 10, N + 11, N + 12, N + 13, N + 14, N + 15);
}
template <int N>
Lanes<double> rotate(const Lanes<double>& x) {
  return __builtin_shufflevector(x, x, N, N + 1, N + 2, N + 3, N + 4, N + 5, N + 6, N + 7);
}

/// Folds all lanes by halving, an order that no compiler changes.
template <typename T, typename Fold>
T fold(Lanes<T> x, Fold fold_two) {
  if constexpr (kLanes<T> == 16) x = fold_two(x, rotate<8>(x));
  x = fold_two(x, rotate<4>(x));
  x = fold_two(x, rotate<2>(x));
  x = fold_two(x, rotate<1>(x));
  return x[0];
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
