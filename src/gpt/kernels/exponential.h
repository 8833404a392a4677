#pragma once

#include <cmath>
#include <cstdint>

#include "gpt/kernels/lanes.h"

namespace sweep {

/// e^x for x <= 0, lane by lane. Float32: within 2 units in the last place, 0 below -87, NaN for
/// NaN. (Cephes' expf: reduction to |y| <= ln(2)/2 and a polynomial of degree 7.)
template <typename T>
Lanes<T> exponential(Lanes<T> x);

template <>
inline Lanes<float> exponential<float>(Lanes<float> x) {
  using Bits [[gnu::vector_size(64)]] = std::int32_t;
  constexpr float kLowest = -87.0F;
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 0x1.8p23F;  // adding and taking it away rounds to a whole number
  const Lanes<float> power = (x * kLog2E + kRound) - kRound;
  const Lanes<float> y = x - power * kLn2High - power * kLn2Low;
  Lanes<float> sum = y * 1.9875691500e-4F + 1.3981999507e-3F;
  sum = sum * y + 8.3334519073e-3F;
  sum = sum * y + 4.1665795894e-2F;
  sum = sum * y + 1.6666665459e-1F;
  sum = sum * y + 5.0000001201e-1F;
  sum = sum * (y * y) + y + 1.0F;
  const Bits exponent = (__builtin_convertvector(power, Bits) + 127) << 23;
  const Lanes<float> result = sum * (Lanes<float>)exponent;  // NOLINT: the same bits
  return x < kLowest ? Lanes<float>{} : result;
}

template <>
inline Lanes<double> exponential<double>(Lanes<double> x) {
  for (std::int64_t i = 0; i < kLanes<double>; ++i) x[i] = std::exp(x[i]);
  return x;
}

}  // namespace sweep
