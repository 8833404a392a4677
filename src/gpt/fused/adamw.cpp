#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/adamw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/adamw.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

double square_sum(const float* x, std::int64_t count) { SWEEP_DISPATCH(square_sum(x, count)); }

bool adamw(const AdamWUpdate& update, const float* gradient, const Moments& moments,
           std::int64_t count) {
  SWEEP_DISPATCH(adamw(update, gradient, moments, count));
}

}  // namespace sweep

#else

constexpr std::int64_t kBlock = 1024;

double square_sum(const float* x, std::int64_t count) {
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    Floats sums = {};
    for_each_lanes(std::min(kBlock, count - begin), [&](std::int64_t i, auto n) {
      const Floats lanes = load_first(x + begin + i, n);
      sums = multiply_add(lanes, lanes, sums);
    });
    sum += static_cast<double>(sum_of<float>(sums));
  }
  return sum;
}

bool adamw(const AdamWUpdate& update, const float* gradient, const Moments& to,
           std::int64_t count) {
  const AdamWUpdate u = update;
  float* const ps = to.p;
  float* const ms = to.m;
  float* const vs = to.v;
  std::int32_t spoilt = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * u.clip;
    const float m = std::fma(u.fresh1, g - ms[i], ms[i]);
    const float v = std::fma(u.beta2, vs[i], u.fresh2 * g * g);
    const float step = u.rate * m / std::fma(std::sqrt(v), u.root, u.eps);
    const float p = std::fma(ps[i], u.keep, -step);
    ms[i] = m;
    vs[i] = v;
    ps[i] = p;
    spoilt |= static_cast<std::int32_t>(p - p != 0);  // a NaN or an infinity
  }
  return spoilt == 0;
}

#endif
