#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <string>
#include <vector>

#include "gpt/numerics.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// The one place where a device is chosen. Throws `Error` (`kResources`) when `name` (cpu, mps,
/// cuda, cuda:1) is not there on this machine, with what is; (`kBadInput`) for another name and for
/// a model that is known to be miscomputed there (MPS: products with 32767 or more summands).
/// Other devices than the CPU are told to use deterministic kernels.
at::Device open_device(const std::string& name, const Config& config);

/// What `open_device` would find: "cpu", "mps", "cuda:0".
std::vector<std::string> devices_here();

at::ScalarType scalar_type(Dtype dtype);

/// float64, or float32 on MPS, which has no wider one.
at::ScalarType widest_float(const at::Device& device);

/// How many updates are made before what they found is read. One on the CPU; another device would
/// idle whenever it is waited for.
std::size_t updates_per_read(const at::Device& device);

/// Whether equal runs on the device of this name are promised equal bits. Not on MPS: the backward
/// pass of its embedding adds up in any order, asked for determinism or not (pytorch/pytorch
/// 195404).
bool is_reproducible(const std::string& name);

}  // namespace sweep
