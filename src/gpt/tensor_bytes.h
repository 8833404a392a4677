#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpt/safetensors.h"

namespace sweep {

/// The tensor's values, contiguous in this machine's memory; shared with the tensor where they
/// already are.
TensorBytes to_bytes(const std::string& name, const at::Tensor& tensor);

/// Throws `Error` (`kBadInput`) unless `file` holds a tensor of this name, type and shape.
void require_like(const TensorBytes& wanted, const Safetensors& file);

/// Overwrites a tensor's values (no gradient is recorded); `bytes` must be alike.
void copy_into(const at::Tensor& tensor, const TensorBytes& bytes);

/// Ids of (rows, width) in row-major order as an int64 tensor (rows, width) on `device`. On the CPU
/// it shares the vector's memory, which must outlive it.
at::Tensor to_ids(std::vector<std::int64_t>& ids, std::int64_t width, at::Device device);

}  // namespace sweep
