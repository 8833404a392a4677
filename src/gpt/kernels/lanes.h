#pragma once

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

/// Sum of the lanes by halving, an order that no compiler changes.
template <typename T>
T sum_of(const Lanes<T>& lanes) {
  T parts[kLanes<T>];
  store(parts, lanes);
  for (std::int64_t half = kLanes<T> / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

/// Largest lane; a NaN is passed over.
template <typename T>
T largest_of(const Lanes<T>& lanes) {
  T parts[kLanes<T>];
  store(parts, lanes);
  for (std::int64_t half = kLanes<T> / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) {
      parts[i] = parts[i + half] > parts[i] ? parts[i + half] : parts[i];
    }
  }
  return parts[0];
}

}  // namespace sweep
