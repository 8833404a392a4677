#include "gpt/trainer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "gpt/batches.h"
#include "gpt/device.h"
#include "gpt/evaluation.h"
#include "gpt/fused/model.h"
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

/// The hand-written step; null where the path is plain.
std::unique_ptr<FusedModel> make_fused(const Config& config, std::uint64_t seed, KernelPath path) {
  if (path == KernelPath::kPlain) return nullptr;
  if (fastest_kernel_path(config) != KernelPath::kFused) {
    fail(ExitCode::kBadInput,
         "the fused path trains on cpu, in float32, without dropout; this run takes {}, dropout {}",
         config.train.device, config.model.dropout);
  }
  return std::make_unique<FusedModel>(config, seed);
}

at::Tensor view_of(float* numbers, const FusedTensor& tensor) {
  return at::from_blob(numbers, tensor.plan.shape, at::kFloat);
}

/// With the fused path the model's tensors are views of that one's memory: names, checkpoints and
/// measurements are the same code on both paths.
Gpt make_model(const Config& config, at::Device device, std::uint64_t seed,
               const FusedModel* fused) {
  Gpt model(config.model, scalar_type(config.train.dtype), device, seed);
  if (fused == nullptr) return model;
  for (std::size_t i = 0; i < fused->tensors().size(); ++i) {
    const FusedTensor& tensor = fused->tensors()[i];
    model.parameters()[i].value.set_data(view_of(tensor.value, tensor));
  }
  return model;
}

AdamW make_optimizer(const TrainConfig& config, const Gpt& model, const FusedModel* fused) {
  if (fused == nullptr) return {config, model.parameters()};
  std::vector<at::Tensor> m, v;
  for (const FusedTensor& tensor : fused->tensors()) {
    m.push_back(view_of(tensor.m, tensor));
    v.push_back(view_of(tensor.v, tensor));
  }
  return {config, model.parameters(), std::move(m), std::move(v)};
}

}  // namespace

struct Trainer::State {
  State(const Config& given, std::uint64_t run_seed, std::span<const Token> train_tokens,
        std::span<const Token> val_tokens, KernelPath path)
      : config(given),
        seed(run_seed),
        train(train_tokens),
        val(val_tokens),
        device(open_device(config.train.device, config)),
        fused(make_fused(config, seed, path)),
        model(make_model(config, device, seed, fused.get())),
        optimizer(make_optimizer(config.train, model, fused.get())),
        offsets(static_cast<std::size_t>(config.train.batch_size)) {}

  /// The next batch, and what is known of its update before it is made.
  Update begin_update() {
    draw_batch_offsets(seed, step, std::ssize(train), model_width(), offsets);
    gather_windows(train, offsets, model_width(), batch);
    Update update;
    update.lr = learning_rate_at(config.train, step);
    return update;
  }

  at::Tensor plain_loss() {
    const DropoutDraw draw{seed, static_cast<std::uint64_t>(step)};
    return model.loss(to_ids(batch.inputs, model_width(), device),
                      to_ids(batch.targets, model_width(), device), &draw);
  }

  [[nodiscard]] FixedSet fixed_set() const {
    return {val, config.measure.eval_tokens, config.train.batch_size};
  }

  [[nodiscard]] std::int64_t model_width() const { return config.model.block_size; }

  [[nodiscard]] AdamMoments moments() const {
    return {optimizer.first_moments(), optimizer.second_moments(), optimizer.steps_made(),
            config.train.beta1,        config.train.beta2,         config.train.eps};
  }

  Config config;
  std::uint64_t seed;
  std::span<const Token> train;
  std::span<const Token> val;
  at::Device device;
  std::unique_ptr<FusedModel> fused;
  Gpt model;
  AdamW optimizer;
  std::vector<std::int64_t> offsets;
  std::int64_t step = 0;
  TokenBatch batch;
};

Trainer::Trainer(const Config& config, std::uint64_t seed, std::span<const Token> train,
                 std::span<const Token> val, KernelPath path)
    : state_(std::make_unique<State>(config, seed, train, val, path)) {
  // Both fail on data that are too short, before the first update rather than in it.
  batch_offsets(seed, 0, config.train.batch_size, std::ssize(train), config.model.block_size);
  eval_windows(std::ssize(val), config.measure.eval_tokens, config.model.block_size);
}

Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

Update Trainer::update() {
  State& s = *state_;
  Update result = s.begin_update();
  if (s.fused != nullptr) {
    update_fused(result, nullptr);
  } else {
    update_plain(result);
  }
  return result;
}

Update Trainer::measured_update(NamedValues& values) {
  State& s = *state_;
  if (s.fused == nullptr) {
    fail(ExitCode::kBadInput, "the mechanism of training batches is measured on path fused only");
  }
  MechanismProbe probe(s.config.measure.mechanism, s.config.model.n_layer);
  probe.see_parameters(s.model.parameters());
  Update result = s.begin_update();
  update_fused(result, &probe);
  probe.see_moments(s.model.parameters(), s.moments());
  values = probe.values();
  return result;
}

void Trainer::update_fused(Update& result, MechanismProbe* probe) {
  State& s = *state_;
  result.train_loss = s.fused->loss_and_gradients({s.batch.inputs, s.batch.targets},
                                                  probe == nullptr ? nullptr : &probe->sums());
  if (!note_loss(result)) return;
  const double norm = s.fused->gradient_norm();
  if (!note_norm(result, norm)) return;
  const double factor = s.config.train.grad_clip / (norm + 1e-6);
  const bool clips = s.config.train.grad_clip > 0 && factor < 1;
  ++s.step;
  s.optimizer.set_steps_made(s.step);
  if (!s.fused->update(result.lr, clips ? factor : 1, s.step)) result.nonfinite = "parameter";
}

void Trainer::update_plain(Update& result) {
  State& s = *state_;
  const at::Tensor loss = s.plain_loss();
  result.train_loss = loss.item<double>();
  if (!note_loss(result)) return;
  loss.backward();
  const double norm = clip_gradients(s.model.parameters(), s.config.train.grad_clip);
  if (!note_norm(result, norm)) {
    clear_gradients(s.model.parameters());
    return;
  }
  s.optimizer.step(result.lr);
  clear_gradients(s.model.parameters());
  ++s.step;
  if (!all_finite(s.model.parameters())) result.nonfinite = "parameter";
}

/// Whether it is finite; notes it when it is not.
bool Trainer::note_loss(Update& result) {
  if (!std::isfinite(result.train_loss)) result.nonfinite = "train_loss";
  return result.nonfinite.empty();
}

bool Trainer::note_norm(Update& result, double norm) const {
  const double most = state_->config.train.grad_clip;
  result.grad_norm = norm;
  result.clipped = most > 0 && norm > most;
  if (!std::isfinite(norm)) result.nonfinite = "grad_norm";
  return result.nonfinite.empty();
}

void Trainer::set_times(StepTimes* times) {
  if (state_->fused != nullptr) state_->fused->set_times(times);
}

double Trainer::validation_loss(const std::function<void()>& between_chunks) const {
  if (state_->fused != nullptr) {
    return fixed_set_loss(*state_->fused, state_->fixed_set(), between_chunks);
  }
  return fixed_set_loss(state_->model, state_->fixed_set(), state_->device, between_chunks);
}

NamedValues Trainer::mechanism(const std::function<void()>& between_chunks) const {
  const AdamMoments moments = state_->moments();
  if (state_->fused != nullptr) {
    return measure_mechanism(*state_->fused, state_->model, state_->fixed_set(),
                             state_->config.measure.mechanism, between_chunks, &moments);
  }
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
  if (state_->fused != nullptr) state_->fused->values_changed();
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
