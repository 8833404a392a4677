#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "gpt/device.h"

namespace sweep {

/// Of a tensor of one entry.
inline double number_of(const at::Tensor& x) { return x.item<double>(); }

/// Of all entries, in their order.
inline std::vector<double> numbers_of(const at::Tensor& x) {
  const at::Tensor flat = x.to(at::kCPU).to(at::kDouble).contiguous().flatten();
  const auto* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

/// Itself, or a copy on the CPU where its device (MPS) has no float64 to add it up in.
inline at::Tensor where_float64_is(const at::Tensor& x) {
  return widest_float(x.device()) == at::kDouble ? x : x.to(at::kCPU);
}

inline double square_sum(const at::Tensor& x) {
  return number_of(where_float64_is(x.square()).sum(at::kDouble));
}

}  // namespace sweep
