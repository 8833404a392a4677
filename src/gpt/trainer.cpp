#include "gpt/trainer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "gpt/batches.h"
#include "gpt/device.h"
#include "gpt/evaluation.h"
#include "gpt/fused/model.h"
#include "gpt/mechanism.h"
#include "gpt/model.h"
#include "gpt/optimizer.h"
#include "gpt/tensor_bytes.h"
#include "gpt/tensor_numbers.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

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
        optimizer(make_optimizer(config.train, model, fused.get())) {}

  /// The windows of the next `updates` updates, in their order.
  void gather_batches(std::size_t updates) {
    const auto size = static_cast<std::size_t>(config.train.batch_size);
    offsets.resize(updates * size);
    for (std::size_t i = 0; i < updates; ++i) {
      draw_batch_offsets(seed, step + static_cast<std::int64_t>(i), std::ssize(train),
                         model_width(), std::span(offsets).subspan(i * size, size));
    }
    gather_windows(train, offsets, model_width(), batch);
  }

  /// What is known of the next update before it is made.
  [[nodiscard]] Update begin_update() const {
    Update update;
    update.lr = learning_rate_at(config.train, step);
    return update;
  }

  at::Tensor plain_loss(const at::Tensor& ids, const at::Tensor& targets) {
    const DropoutDraw draw{seed, static_cast<std::uint64_t>(step)};
    return model.loss(ids, targets, &draw);
  }

  /// With the gradients as they are.
  void apply_gradients(double lr) {
    optimizer.step(lr);
    clear_gradients(model.parameters());
    ++step;
  }

  /// Parameters and both moments.
  [[nodiscard]] std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all;
    for (const Parameter& parameter : model.parameters()) all.push_back(parameter.value);
    for (const auto* moments : {&optimizer.first_moments(), &optimizer.second_moments()}) {
      all.insert(all.end(), moments->begin(), moments->end());
    }
    return all;
  }

  [[nodiscard]] std::vector<at::Tensor> copies() const {
    std::vector<at::Tensor> all;
    for (const at::Tensor& tensor : tensors()) all.push_back(tensor.detach().clone());
    return all;
  }

  void go_back_to(std::int64_t earlier, const std::vector<at::Tensor>& copies) {
    const c10::NoGradGuard no_grad;
    const std::vector<at::Tensor> all = tensors();
    for (std::size_t i = 0; i < all.size(); ++i) all[i].copy_(copies[i]);
    optimizer.set_steps_made(earlier);
    step = earlier;
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
  s.gather_batches(1);
  Update result = s.begin_update();
  if (s.fused != nullptr) {
    update_fused(result, nullptr);
  } else {
    update_plain(result);
  }
  return result;
}

std::size_t Trainer::update(std::span<Update> updates) {
  if (updates.size() > 1 && update_unread(updates)) return updates.size();
  for (std::size_t i = 0; i < updates.size(); ++i) {
    updates[i] = update();
    if (!updates[i].nonfinite.empty()) return i + 1;
  }
  return updates.size();
}

std::size_t Trainer::updates_per_read() const { return sweep::updates_per_read(state_->device); }

Update Trainer::measured_update(NamedValues& values) {
  State& s = *state_;
  if (s.fused == nullptr) {
    fail(ExitCode::kBadInput, "the mechanism of training batches is measured on path fused only");
  }
  MechanismProbe probe(s.config.measure.mechanism, s.config.model.n_layer);
  probe.see_parameters(s.model.parameters());
  s.gather_batches(1);
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
  const at::Tensor loss = s.plain_loss(to_ids(s.batch.inputs, s.model_width(), s.device),
                                       to_ids(s.batch.targets, s.model_width(), s.device));
  result.train_loss = number_of(loss);
  if (!note_loss(result)) return;
  loss.backward();
  const at::Tensor norm = clip_gradients(s.model.parameters(), s.config.train.grad_clip);
  if (!note_norm(result, number_of(norm))) {
    clear_gradients(s.model.parameters());
    return;
  }
  s.apply_gradients(result.lr);
  const double largest = number_of(largest_magnitude(s.model.parameters()));
  if (!std::isfinite(largest)) result.nonfinite = "parameter";
}

/// Makes them all and reads afterwards what was found: the device is waited for once. False where
/// that cannot be (path fused) or where one of them would have been the last: then nothing has
/// happened yet, and they are to be made one by one.
bool Trainer::update_unread(std::span<Update> updates) {
  State& s = *state_;
  if (s.fused != nullptr) return false;
  const std::int64_t first_step = s.step;
  const std::vector<at::Tensor> before = s.copies();
  s.gather_batches(updates.size());
  const at::Tensor ids = to_ids(s.batch.inputs, s.model_width(), s.device);
  const at::Tensor targets = to_ids(s.batch.targets, s.model_width(), s.device);
  std::vector<at::Tensor> found;
  for (Update& update : updates) {
    update = s.begin_update();
    const std::int64_t windows = s.config.train.batch_size;
    const std::int64_t row = std::ssize(found) * windows;
    const at::Tensor loss =
        s.plain_loss(ids.narrow(0, row, windows), targets.narrow(0, row, windows));
    loss.backward();
    const at::Tensor norm = clip_gradients(s.model.parameters(), s.config.train.grad_clip);
    s.apply_gradients(update.lr);
    found.push_back(at::stack({loss.detach(), norm, largest_magnitude(s.model.parameters())}));
  }
  const std::vector<double> numbers = numbers_of(at::stack(found));
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::all_of(numbers.begin(), numbers.end(), is_finite)) {
    s.go_back_to(first_step, before);
    return false;
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    updates[i].train_loss = numbers[3 * i];
    note_norm(updates[i], numbers[3 * i + 1]);
  }
  return true;
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
