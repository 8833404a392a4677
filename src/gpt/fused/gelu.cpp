#include "gpt/fused/gelu.h"

#include "gpt/fused/instruction_set.h"
#include "gpt/fused/row.h"
#include "gpt/kernels/exponential.h"

namespace sweep {
namespace {

/// exp(-x^2/2), and Phi(-|x|) relative to it.
struct Tail {
  Floats density;  // exp(-x^2/2), not normalised
  Floats beyond;   // Phi(-|x|) = erfc(|x|/sqrt 2)/2
};

/// erfc(z) = exp(-z^2) t p(t), t = 1/(1 + .3275911 z), the form of Hastings 1955 (Abramowitz and
/// Stegun 7.1.26); p, of degree 7 in place of 4, is a minimax fit over 0 <= z <= 6.6 whose relative
/// error is 5.6e-8.
Tail tail_of(const Floats& x) {
  constexpr float kPerUnit = 0.3275911F * 0.70710678F;
  const Floats magnitude = x < 0 ? -x : x;
  const Floats t = 1.0F / multiply_add(magnitude, all_lanes(kPerUnit), all_lanes(1.0F));
  Floats p = all_lanes(-0.14433808624744415F);
  for (const float coefficient :
       {0.5103558301925659F, -0.43010976910591125F, 0.4763079881668091F, 0.01268019899725914F,
        0.20997029542922974F, 0.18003123998641968F, 0.18510222434997559F}) {
    p = multiply_add(p, t, all_lanes(coefficient));
  }
  const Floats density = exponential<float>(x * x * -0.5F);
  return {density, density * (p * t) * 0.5F};
}

Floats distribution(const Floats& x, const Tail& tail) {
  return x < 0 ? tail.beyond : 1.0F - tail.beyond;
}

void gelu_forward_body(const float* x, std::int64_t count, float* y, float* slope) {
  constexpr float kPerDensity = 0.3989422804F;  // 1/sqrt(2 pi)
  for_each_lanes(count, [&](std::int64_t i, std::int64_t n) {
    const Floats lanes = load_first(x + i, n);
    const Tail tail = tail_of(lanes);
    const Floats phi = distribution(lanes, tail);
    store_first(y + i, lanes * phi, n);
    store_first(slope + i, multiply_add(tail.density * kPerDensity, lanes, phi), n);
  });
}

void gelu_backward_body(const float* slope, std::int64_t count, float* dy) {
  for_each_lanes(count, [&](std::int64_t i, std::int64_t n) {
    store_first(dy + i, load_first(dy + i, n) * load_first(slope + i, n), n);
  });
}

}  // namespace

SWEEP_COMPILE(gelu_forward, (const float* x, std::int64_t count, float* y, float* slope),
              (x, count, y, slope))
SWEEP_COMPILE(gelu_backward, (const float* slope, std::int64_t count, float* dy),
              (slope, count, dy))

}  // namespace sweep
