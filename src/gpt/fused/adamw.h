#pragma once

#include <cstdint>

namespace sweep {

/// Sum of squares of `count` numbers: blocks in float32, added in float64.
double square_sum(const float* x, std::int64_t count);

/// One update of AdamW (Loshchilov & Hutter 2019). With g the gradient times `clip`:
///   p *= keep
///   m += (1 - beta1) (g - m)      v = beta2 v + (1 - beta2) g^2
///   p -= rate m / (sqrt(v) root + eps)
struct AdamWUpdate {
  float clip;
  float keep;    ///< 1 - lr wd, or 1 - (lr/peak) wd where decay is independent of the rate
  float fresh1;  ///< 1 - beta1
  float beta2;
  float fresh2;  ///< 1 - beta2
  float rate;    ///< lr / (1 - beta1^t)
  float root;    ///< 1 / sqrt(1 - beta2^t)
  float eps;
};

/// Numbers that belong together in four arrays.
struct Moments {
  float* p;
  float* m;
  float* v;
};

/// Updates `count` parameters; returns whether all of them are finite.
bool adamw(const AdamWUpdate& update, const float* gradient, const Moments& moments,
           std::int64_t count);

}  // namespace sweep
