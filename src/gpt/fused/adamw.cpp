#include "gpt/fused/adamw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpt/fused/instruction_set.h"
#include "gpt/fused/row.h"

namespace sweep {
namespace {

constexpr std::int64_t kBlock = 1024;

void square_sum_to_body(const float* x, std::int64_t count, double& sum) {
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    Floats sums = {};
    for_each_lanes(std::min(kBlock, count - begin), [&](std::int64_t i, std::int64_t n) {
      const Floats lanes = load_first(x + begin + i, n);
      sums = multiply_add(lanes, lanes, sums);
    });
    sum += static_cast<double>(sum_of<float>(sums));
  }
}

void adamw_update_body(const AdamWUpdate& update, const float* gradient, const Moments& to,
                       std::int64_t count, bool& finite) {
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
  finite = spoilt == 0;
}

}  // namespace

SWEEP_COMPILE(square_sum_to, (const float* x, std::int64_t count, double& sum), (x, count, sum))
SWEEP_COMPILE(adamw_update,
              (const AdamWUpdate& update, const float* gradient, const Moments& to,
               std::int64_t count, bool& finite),
              (update, gradient, to, count, finite))

double square_sum(const float* x, std::int64_t count) {
  double sum = 0;
  square_sum_to(x, count, sum);
  return sum;
}

bool adamw(const AdamWUpdate& update, const float* gradient, const Moments& moments,
           std::int64_t count) {
  bool finite = true;
  adamw_update(update, gradient, moments, count, finite);
  return finite;
}

}  // namespace sweep
