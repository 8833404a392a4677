#pragma once

#include <cstdint>

namespace sweep {

/// y = x Phi(x), Phi the normal distribution function: GELU with the exact error function
/// (Hendrycks & Gimpel 2016), and its slope Phi(x) + x phi(x), phi the normal density. Both come
/// from one exponential. `slope` may be x.
void gelu_forward(const float* x, std::int64_t count, float* y, float* slope);

/// dy *= slope: the gradient of x.
void gelu_backward(const float* slope, std::int64_t count, float* dy);

}  // namespace sweep
