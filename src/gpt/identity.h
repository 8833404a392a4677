#pragma once

#include <cstdint>
#include <string>

#include "sweep/base/json.h"
#include "sweep/prereg/kernel_path.h"

namespace sweep {

/// What the bits of a run depend on besides its config, seed and tokens.
struct NumericIdentity {
  std::string kernel_path;      ///< plain | fused (`KernelPath`): common to all runs of a sweep
  std::string device;           ///< as asked for: cpu, mps, cuda:0
  std::string libtorch;         ///< "2.13.0"
  std::string gemm;             ///< which matrix product runs: `gemm_path()`
  std::string instruction_set;  ///< LibTorch's own kernels: DEFAULT, AVX2, AVX512, ...
  int threads = 1;
  bool reproducible = true;  ///< `is_reproducible`: whether equal runs are promised equal bits
  /// SHA-256 of the weights after a few steps of two tiny models; where they need not come out the
  /// same twice, of the fields above.
  std::string fingerprint;
};

/// Trains the two tiny models (QK-norm off and on, products long enough that one matrix library is
/// told from another) on fixed synthetic tokens: about a tenth of a second. `set_up_numerics` must
/// have been called.
NumericIdentity numeric_identity(const std::string& device, KernelPath path);

/// What a device is known by whose bits are not: nothing is trained on it.
NumericIdentity identity_without_bits(const std::string& device, KernelPath path);

/// What `sweep-train --identity` prints.
Json to_json(const NumericIdentity& identity);

}  // namespace sweep
