#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "gpt/mechanism_sums.h"
#include "gpt/model.h"

namespace sweep {

/// AdamW after an update: its moments in parameter order.
struct AdamMoments {
  const std::vector<at::Tensor>& first;
  const std::vector<at::Tensor>& second;
  std::int64_t steps = 0;  ///< updates made
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
};

/// Adds what LibTorch computes of an activation tensor (B, T, d).
void add_activation(const at::Tensor& x, const WantedSums& wanted, ActivationSums& sums);

/// Of the model's output (B, T, V).
void add_log_z(const at::Tensor& logits, MechanismSums& sums);

/// The learned gains of queries and keys.
void add_gains(const std::vector<Parameter>& parameters, MechanismSums& sums);

/// AdamW's last update per learning rate: m-hat / (sqrt v-hat + eps). None was made: nothing.
void add_updates(const std::vector<Parameter>& parameters, const AdamMoments& adam,
                 MechanismSums& sums);

}  // namespace sweep
