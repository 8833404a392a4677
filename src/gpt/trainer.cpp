#include "gpt/trainer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "gpt/batches.h"
#include "gpt/device.h"
#include "gpt/evaluation.h"
#include "gpt/mechanism.h"
#include "gpt/model.h"
#include "gpt/optimizer.h"
#include "gpt/tensor_bytes.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

bool all_finite(const std::vector<Parameter>& parameters) {
  // Minimum and maximum carry NaN and infinities out of a tensor in one pass over it.
  const c10::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters) {
    const auto [low, high] = at::aminmax(parameter.value);
    if (!std::isfinite(low.item<double>()) || !std::isfinite(high.item<double>())) return false;
  }
  return true;
}

}  // namespace

struct Trainer::State {
  State(const Config& given, std::uint64_t run_seed, std::span<const Token> train_tokens,
        std::span<const Token> val_tokens)
      : config(given),
        seed(run_seed),
        train(train_tokens),
        val(val_tokens),
        device(open_device(config.train.device, config)),
        model(config.model, scalar_type(config.train.dtype), device, seed),
        optimizer(config.train, model.parameters()) {}

  at::Tensor forward(std::int64_t iter) {
    const auto offsets =
        batch_offsets(seed, iter, config.train.batch_size, std::ssize(train), model_width());
    gather_windows(train, offsets, model_width(), batch);
    const DropoutDraw draw{seed, static_cast<std::uint64_t>(iter)};
    return model.loss(to_ids(batch.inputs, model_width(), device),
                      to_ids(batch.targets, model_width(), device), &draw);
  }

  [[nodiscard]] FixedSet fixed_set() const {
    return {val, config.measure.eval_tokens, config.train.batch_size};
  }

  [[nodiscard]] std::int64_t model_width() const { return config.model.block_size; }

  Config config;
  std::uint64_t seed;
  std::span<const Token> train;
  std::span<const Token> val;
  at::Device device;
  Gpt model;
  AdamW optimizer;
  std::int64_t step = 0;
  TokenBatch batch;
};

Trainer::Trainer(const Config& config, std::uint64_t seed, std::span<const Token> train,
                 std::span<const Token> val)
    : state_(std::make_unique<State>(config, seed, train, val)) {
  // Both fail on data that are too short, before the first update rather than in it.
  batch_offsets(seed, 0, config.train.batch_size, std::ssize(train), config.model.block_size);
  eval_windows(std::ssize(val), config.measure.eval_tokens, config.model.block_size);
}

Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

Update Trainer::update() {
  State& s = *state_;
  Update result;
  result.lr = learning_rate_at(s.config.train, s.step);
  const at::Tensor loss = s.forward(s.step);
  result.train_loss = loss.item<double>();
  if (!std::isfinite(result.train_loss)) {
    result.nonfinite = "train_loss";
    return result;
  }
  loss.backward();
  const double max_norm = s.config.train.grad_clip;
  result.grad_norm = clip_gradients(s.model.parameters(), max_norm);
  result.clipped = max_norm > 0 && *result.grad_norm > max_norm;
  if (!std::isfinite(*result.grad_norm)) {
    result.nonfinite = "grad_norm";
    clear_gradients(s.model.parameters());
    return result;
  }
  s.optimizer.step(result.lr);
  clear_gradients(s.model.parameters());
  ++s.step;
  if (!all_finite(s.model.parameters())) result.nonfinite = "parameter";
  return result;
}

double Trainer::validation_loss(const std::function<void()>& between_chunks) const {
  return fixed_set_loss(state_->model, state_->fixed_set(), state_->device, between_chunks);
}

std::vector<std::pair<std::string, double>> Trainer::mechanism(
    const std::function<void()>& between_chunks) const {
  const AdamW& adam = state_->optimizer;
  const TrainConfig& train = state_->config.train;
  const AdamMoments moments{adam.first_moments(), adam.second_moments(), adam.steps_made(),
                            train.beta1,          train.beta2,           train.eps};
  return measure_mechanism(state_->model, state_->fixed_set(), state_->config.measure.mechanism,
                           state_->device, between_chunks, &moments);
}

std::int64_t Trainer::step() const { return state_->step; }

std::int64_t Trainer::parameter_count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : state_->model.parameters()) count += parameter.value.numel();
  return count;
}

std::vector<TensorBytes> Trainer::weights() const {
  std::vector<TensorBytes> result;
  for (const Parameter& parameter : state_->model.parameters()) {
    result.push_back(to_bytes(parameter.name, parameter.value));
  }
  return result;
}

std::vector<TensorBytes> Trainer::state() const {
  std::vector<TensorBytes> result = weights();
  const auto& parameters = state_->model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.push_back(
        to_bytes("adam.m." + parameters[i].name, state_->optimizer.first_moments()[i]));
    result.push_back(
        to_bytes("adam.v." + parameters[i].name, state_->optimizer.second_moments()[i]));
  }
  return result;
}

void Trainer::restore(const Safetensors& state, std::int64_t step) {
  // The live tensors say which names, types and shapes are wanted.
  for (const TensorBytes& wanted : this->state()) require_like(wanted, state);
  const auto& parameters = state_->model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    copy_into(parameters[i].value, *state.find(name));
    copy_into(state_->optimizer.first_moments()[i], *state.find("adam.m." + name));
    copy_into(state_->optimizer.second_moments()[i], *state.find("adam.v." + name));
  }
  state_->optimizer.set_steps_made(step);
  state_->step = step;
}

Config resolved_config(const RunSpec& spec) {
  Config config = spec.config;
  if (config.model.vocab_size == 0) config.model.vocab_size = spec.data.vocab_size;
  if (config.model.vocab_size < spec.data.vocab_size) {
    fail(ExitCode::kBadInput, "model.vocab_size is {}, but the corpus has {} different tokens",
         config.model.vocab_size, spec.data.vocab_size);
  }
  return config;
}

}  // namespace sweep
