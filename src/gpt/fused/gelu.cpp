#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/gelu.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/gelu.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

void gelu_forward(const float* x, std::int64_t count, float* y, float* slope) {
  SWEEP_DISPATCH(gelu_forward(x, count, y, slope));
}

void gelu_backward(const float* slope, std::int64_t count, float* dy) {
  SWEEP_DISPATCH(gelu_backward(slope, count, dy));
}

}  // namespace sweep

#else

/// exp(-x^2/2), and Phi(-|x|) relative to it.
struct Tail {
  Native<float> density;  // exp(-x^2/2), not normalised
  Native<float> beyond;   // Phi(-|x|) = erfc(|x|/sqrt 2)/2
};

/// erfc(z) = exp(-z^2) t p(t), t = 1/(1 + .3275911 z), the form of Hastings 1955 (Abramowitz and
/// Stegun 7.1.26); p, of degree 7 in place of 4, is a minimax fit over 0 <= z <= 6.6 whose relative
/// error is 5.6e-8.
Tail tail_of(const Native<float>& x) {
  constexpr float kPerUnit = 0.3275911F * 0.70710678F;
  const Native<float> magnitude = x < 0 ? -x : x;
  const Native<float> t =
      1.0F / fused<float>(magnitude, native_lanes(kPerUnit), native_lanes(1.0F));
  Native<float> p = native_lanes(-0.14433808624744415F);
  p = fused<float>(p, t, native_lanes(0.5103558301925659F));
  p = fused<float>(p, t, native_lanes(-0.43010976910591125F));
  p = fused<float>(p, t, native_lanes(0.4763079881668091F));
  p = fused<float>(p, t, native_lanes(0.01268019899725914F));
  p = fused<float>(p, t, native_lanes(0.20997029542922974F));
  p = fused<float>(p, t, native_lanes(0.18003123998641968F));
  p = fused<float>(p, t, native_lanes(0.18510222434997559F));
  const Native<float> density = native_exponential(x * x * -0.5F);
  return {density, density * (p * t) * 0.5F};
}

void gelu_forward(const float* x, std::int64_t count, float* y, float* slope) {
  constexpr float kPerDensity = 0.3989422804F;  // 1/sqrt(2 pi)
  for_each_lanes(count, [&](std::int64_t i, auto n) {
    const Floats lanes = load_first(x + i, n);
    Floats values;
    Floats slopes;
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Floats::kParts; ++p) {
      const Native<float> part = lanes.part[p];
      const Tail tail = tail_of(part);
      const Native<float> phi = part < 0 ? tail.beyond : 1.0F - tail.beyond;
      values.part[p] = part * phi;
      slopes.part[p] = fused<float>(tail.density * kPerDensity, part, phi);
    }
    store_first(y + i, values, n);
    store_first(slope + i, slopes, n);
  });
}

void gelu_backward(const float* slope, std::int64_t count, float* dy) {
  for_each_lanes(count, [&](std::int64_t i, auto n) {
    store_first(dy + i, load_first(dy + i, n) * load_first(slope + i, n), n);
  });
}

#endif
