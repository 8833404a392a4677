#pragma once

#include <ATen/ATen.h>

#include <string>

#include "sweep/prereg/config.h"

namespace sweep {

/// Called first thing in every program and test that trains: one thread, memory kept, no subnormal
/// surprises, deterministic kernels where there are any.
void set_up_numerics(int threads = 1);

/// The one place where a device is chosen. Throws `Error` (`kResources`) when `name` (cpu, mps,
/// cuda, cuda:1) is not there on this machine, with what is; (`kBadInput`) for a model that is
/// known to be miscomputed there (ecosystem: MPS products with 32767 or more summands).
at::Device open_device(const std::string& name, const Config& config);

at::ScalarType scalar_type(Dtype dtype);

/// Which matrix product runs here: "mkl+hook" (MKL told to take its fastest path), "mkl",
/// "openblas", "accelerate" or "blas".
std::string gemm_path();

}  // namespace sweep
