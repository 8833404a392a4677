#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "gpt/model.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// Learning rate of update `iter` (0-based), nanoGPT's get_lr with lr_decay_iters = max_iters:
/// linear warm-up lr*(iter+1)/(W+1), then cosine to the floor (ratio or absolute), or constant.
double learning_rate_at(const TrainConfig& config, std::int64_t iter);

/// AdamW (Loshchilov & Hutter 2019) in nanoGPT's two groups, through `at::_fused_adamw_`.
/// Coupled decay: p *= 1 - lr*wd (PyTorch's AdamW). Independent: p *= 1 - (lr/peak)*wd.
class AdamW {
 public:
  AdamW(const TrainConfig& config, const std::vector<Parameter>& parameters);

  /// One update with gradients as they are; `lr` is this update's. Gradients are left in place.
  void step(double lr);

  /// Moments in parameter order, for checkpoints; same shapes as the parameters.
  [[nodiscard]] const std::vector<at::Tensor>& first_moments() const { return m_; }
  [[nodiscard]] const std::vector<at::Tensor>& second_moments() const { return v_; }
  [[nodiscard]] std::int64_t steps_made() const { return steps_; }
  /// After the moments have been overwritten from a checkpoint.
  void set_steps_made(std::int64_t steps);

 private:
  TrainConfig config_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> m_;
  std::vector<at::Tensor> v_;
  std::int64_t steps_ = 0;
};

/// Global 2-norm of all gradients; when it is above `max_norm` (> 0) they are scaled by
/// max_norm / (norm + 1e-6), as torch.nn.utils.clip_grad_norm_ does. Returns the norm before.
double clip_gradients(const std::vector<Parameter>& parameters, double max_norm);

}  // namespace sweep
