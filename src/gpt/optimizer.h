#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "gpt/model.h"
#include "gpt/schedule.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// AdamW (Loshchilov & Hutter 2019) in nanoGPT's two groups, through `at::_fused_adamw_`.
/// Coupled decay: p *= 1 - lr*wd (PyTorch's AdamW). Independent: p *= 1 - (lr/peak)*wd.
class AdamW {
 public:
  AdamW(const TrainConfig& config, const std::vector<Parameter>& parameters);
  /// Moments that lie elsewhere, in parameter order.
  AdamW(const TrainConfig& config, const std::vector<Parameter>& parameters,
        std::vector<at::Tensor> m, std::vector<at::Tensor> v);

  /// One update with gradients as they are; `lr` is this update's. Gradients are left in place.
  void step(double lr);

  /// Moments in parameter order, for checkpoints; same shapes as the parameters.
  [[nodiscard]] const std::vector<at::Tensor>& first_moments() const { return m_; }
  [[nodiscard]] const std::vector<at::Tensor>& second_moments() const { return v_; }
  [[nodiscard]] std::int64_t steps_made() const { return steps_; }
  /// After the moments have been overwritten from a checkpoint.
  void set_steps_made(std::int64_t steps) { steps_ = steps; }

 private:
  void step_group(bool decayed, double lr) const;

  TrainConfig config_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> m_;
  std::vector<at::Tensor> v_;
  std::int64_t steps_ = 0;
};

/// Frees every gradient: the next backward pass writes new ones instead of adding.
void clear_gradients(const std::vector<Parameter>& parameters);

/// Global 2-norm of all gradients; when it is above `max_norm` (> 0) they are scaled by
/// max_norm / (norm + 1e-6), as torch.nn.utils.clip_grad_norm_ does. Returns the norm before, of no
/// dimension and where the gradients are: nobody has waited for it.
at::Tensor clip_gradients(const std::vector<Parameter>& parameters, double max_norm);

/// The largest |parameter|, likewise: NaN or infinite if one of them is.
at::Tensor largest_magnitude(const std::vector<Parameter>& parameters);

}  // namespace sweep
