#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace sweep {

/// Of a tensor of one entry.
inline double number_of(const at::Tensor& x) { return x.item<double>(); }

/// Of all entries, in their order.
inline std::vector<double> numbers_of(const at::Tensor& x) {
  const at::Tensor flat = x.to(at::kCPU, at::kDouble).contiguous().flatten();
  const auto* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

inline double square_sum(const at::Tensor& x) { return number_of(x.square().sum(at::kDouble)); }

}  // namespace sweep
