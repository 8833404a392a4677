#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpt/mechanism_sums.h"
#include "gpt/safetensors.h"
#include "sweep/data/corpus.h"
#include "sweep/prereg/kernel_path.h"
#include "sweep/prereg/run_spec.h"

namespace sweep {

class MechanismProbe;
struct StepTimes;

/// What one update did. Losses in nats per token.
struct Update {
  double train_loss = 0;  ///< of its batch, before it
  double lr = 0;
  std::optional<double> grad_norm;  ///< global, before clipping; nullopt: the loss was non-finite
  bool clipped = false;
  std::string nonfinite;  ///< "" or what was non-finite first: train_loss | grad_norm | parameter
};

/// A model in training: weights, optimiser, step. Knows no files. Every batch, mask and learning
/// rate is a pure function of (config, seed, step), so that nothing else needs saving.
class Trainer {
 public:
  /// `train` and `val` must outlive the trainer. Throws `Error` when they are too short for the
  /// config's windows, when the device is absent, or when `path` cannot train the config.
  Trainer(const Config& config, std::uint64_t seed, std::span<const Token> train,
          std::span<const Token> val, KernelPath path = KernelPath::kPlain);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  /// Makes the next update. When the loss or the gradient norm is non-finite the weights stay as
  /// they were; a non-finite parameter is noticed after the update.
  Update update();

  /// Makes as many updates as there is room for, one after another as above, and fills it in. Ends
  /// with the first non-finite one; returns how many were made. Path plain waits for its device
  /// once per call: ask for `updates_per_read()` at a time.
  std::size_t update(std::span<Update> updates);
  [[nodiscard]] std::size_t updates_per_read() const;

  /// The same with not one bit changed, and beside it the quantities of `measure.mechanism` of that
  /// batch's own forward pass and of the update made. Of the hand-written step only: another throws
  /// `Error` (`kBadInput`).
  Update measured_update(NamedValues& values);

  /// Mean cross-entropy over the fixed windows of `eval_windows`, in chunks of batch_size windows
  /// in their order. Changes nothing. `between_chunks` is called now and then: a sign of life.
  [[nodiscard]] double validation_loss(const std::function<void()>& between_chunks) const;

  /// The quantities of `measure.mechanism` (gpt/mechanism.h) on the same windows, by name. Changes
  /// nothing either.
  [[nodiscard]] NamedValues mechanism(const std::function<void()>& between_chunks) const;

  /// Where a fused step adds up what its parts take; null: nowhere. Ignored by the plain one.
  void set_times(StepTimes* times);

  /// Updates made.
  [[nodiscard]] std::int64_t step() const;
  [[nodiscard]] std::int64_t parameter_count() const;

  /// The parameters under nanoGPT's names. The bytes are the live tensors' own: use them before the
  /// next update.
  [[nodiscard]] std::vector<TensorBytes> weights() const;
  /// The same and the moments, `adam.m.<name>` and `adam.v.<name>`: all that a checkpoint needs.
  [[nodiscard]] std::vector<TensorBytes> state() const;
  /// The inverse of `state()` at `step`. Throws `Error` before anything has been changed when a
  /// tensor is missing or of another type or shape.
  void restore(const Safetensors& state, std::int64_t step);

 private:
  void update_plain(Update& result);
  bool update_unread(std::span<Update> updates);
  void update_fused(Update& result, MechanismProbe* probe);
  static bool note_loss(Update& result);
  bool note_norm(Update& result, double norm) const;

  struct State;
  std::unique_ptr<State> state_;
};

/// The run's config with what comes from its corpus filled in: a vocab_size of 0 is the corpus's.
/// Throws `Error` (`kBadInput`) when a given one is too small for it.
Config resolved_config(const RunSpec& spec);

}  // namespace sweep
