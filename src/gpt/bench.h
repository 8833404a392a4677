#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sweep/base/json.h"
#include "sweep/prereg/kernel_path.h"
#include "sweep/prereg/run_spec.h"

namespace sweep {

/// Floating-point operations per trained token, nanoGPT's estimate_mfu: 6 (12 L d^2 + V d) + 12 L T
/// d.
double nominal_flops_per_token(const ModelConfig& model);

struct BenchOptions {
  std::string config;  ///< S | B | C | A (`bench_config`) or a file that holds a RunSpec
  double seconds = 10;
  std::optional<QkNorm> qk_norm;      ///< instead of the config's
  std::optional<std::string> device;  ///< instead of the config's
  KernelPath path = KernelPath::kPlain;
  int threads = 1;
  /// Every so many steps the batch's own mechanism is measured, in all its quantities; 0: never.
  std::int64_t mechanism_every = 0;
};

/// The named configs that speeds are compared at; nullopt for another name. A is the shape of
/// nanoGPT's shakespeare_char at half its batch, B a toy cell, C a BPE-4k cell, S nanoGPT's laptop.
std::optional<Config> bench_config(const std::string& name);

/// Trains on fixed random tokens for about `seconds` (at least two steps after a warm-up) and says
/// how fast: the JSON value of `sweep bench --json` (docs/schemas/bench.schema.json).
Json bench(const BenchOptions& options);

/// What `sweep plan` predicts times from: `steps` updates after a warm-up and one evaluation of
/// `spec` on random tokens. Reads no files.
Json probe(const RunSpec& spec, std::int64_t steps, KernelPath path);

}  // namespace sweep
