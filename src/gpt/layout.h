#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/prereg/config.h"

namespace sweep {

/// A trained tensor of a model, before there is one: name, shape and how it starts.
struct TensorPlan {
  std::string name;  ///< nanoGPT's state-dict name
  std::vector<std::int64_t> shape;
  double mean = 0;
  double std = 0;  ///< 0: every entry is `mean`

  [[nodiscard]] std::int64_t size() const;
  /// nanoGPT's rule: weight decay acts on tensors of two or more dimensions.
  [[nodiscard]] bool decayed() const { return shape.size() >= 2; }
};

/// Every trained tensor in nanoGPT's order; gains of QK-norm follow their layer's attn.c_proj.
///
/// Init `nanogpt`: matrices and embeddings N(0, 0.02), both c_proj.weight N(0, 0.02/sqrt(2 L)).
/// Init `fan_in` (Wortsman et al. 2023): matrices N(0, 1/sqrt(fan-in)), both embeddings
/// N(0, 1/sqrt(d)); normal where the paper truncates. Biases 0, gains 1 in both.
std::vector<TensorPlan> plan_tensors(const ModelConfig& config);

/// The tensor's initial entries in row-major order, drawn from its own stream (seed, name).
std::vector<double> initial_values(const TensorPlan& plan, std::uint64_t seed);

}  // namespace sweep
