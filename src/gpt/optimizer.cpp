#include "gpt/optimizer.h"

#include <c10/core/GradMode.h>

#include <limits>

#include "gpt/device.h"

namespace sweep {
namespace {

std::vector<at::Tensor> gradients_of(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const Parameter& parameter : parameters) gradients.push_back(parameter.value.grad());
  return gradients;
}

/// The decay factor that `_fused_adamw_`, which multiplies it by lr, is to be given.
double decay_per_lr(const TrainConfig& config) {
  return config.weight_decay_mode == WeightDecayMode::kIndependent
             ? config.weight_decay / config.learning_rate
             : config.weight_decay;
}

}  // namespace

AdamW::AdamW(const TrainConfig& config, const std::vector<Parameter>& parameters)
    : config_(config), parameters_(parameters) {
  const c10::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters_) {
    m_.push_back(at::zeros_like(parameter.value));
    v_.push_back(at::zeros_like(parameter.value));
  }
}

AdamW::AdamW(const TrainConfig& config, const std::vector<Parameter>& parameters,
             std::vector<at::Tensor> m, std::vector<at::Tensor> v)
    : config_(config), parameters_(parameters), m_(std::move(m)), v_(std::move(v)) {}

void AdamW::step(double lr) {
  const c10::NoGradGuard no_grad;
  ++steps_;
  step_group(true, lr);
  step_group(false, lr);
}

void AdamW::step_group(bool decayed, double lr) const {
  std::vector<at::Tensor> values, gradients, m, v;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].decayed != decayed) continue;
    values.push_back(parameters_[i].value);
    gradients.push_back(parameters_[i].value.grad());
    m.push_back(m_[i]);
    v.push_back(v_[i]);
  }
  if (values.empty()) return;
  const at::Tensor count =
      at::scalar_tensor(static_cast<double>(steps_), values[0].options().dtype(at::kFloat));
  at::_fused_adamw_(values, gradients, m, v, {}, std::vector<at::Tensor>(values.size(), count), lr,
                    config_.beta1, config_.beta2, decayed ? decay_per_lr(config_) : 0.0,
                    config_.eps, /*amsgrad=*/false, /*maximize=*/false);
}

void clear_gradients(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) parameter.value.mutable_grad() = at::Tensor();
}

at::Tensor clip_gradients(const std::vector<Parameter>& parameters, double max_norm) {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients, 2)).norm();
  if (max_norm > 0) {
    const at::Tensor wide = norm.to(widest_float(norm.device()));
    const at::Tensor factor = at::full_like(wide, max_norm) / (wide + 1e-6);
    at::_foreach_mul_(gradients, factor.clamp_max(1).to(norm.scalar_type()));
  }
  return norm;
}

at::Tensor largest_magnitude(const std::vector<Parameter>& parameters) {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> values;
  values.reserve(parameters.size());
  for (const Parameter& parameter : parameters) values.push_back(parameter.value);
  return at::stack(at::_foreach_norm(values, std::numeric_limits<double>::infinity())).max();
}

}  // namespace sweep
