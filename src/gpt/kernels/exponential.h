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
  const Lanes<float> power =
      multiply_add(x, all_lanes(kLog2E), all_lanes(kRound)) - all_lanes(kRound);
  Lanes<float> y = multiply_add(power, all_lanes(-kLn2High), x);
  y = multiply_add(power, all_lanes(-kLn2Low), y);
  Lanes<float> sum = all_lanes(1.9875691500e-4F);
  for (const float coefficient :
       {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F}) {
    sum = multiply_add(sum, y, all_lanes(coefficient));
  }
  sum = multiply_add(sum, y * y, y) + 1.0F;
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
