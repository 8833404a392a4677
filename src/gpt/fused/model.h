#pragma once

#include <cstdint>
#include <span>

#include "gpt/fused/arena.h"
#include "gpt/fused/plan.h"
#include "gpt/fused/step_times.h"
#include "gpt/mechanism_sums.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// Whole sequences of block_size ids, and what comes after each.
struct Sequences {
  std::span<const std::int64_t> inputs;
  std::span<const std::int64_t> targets;
};

/// nanoGPT's GPT with the QK-norm switch (see `Gpt`), with its training step written out by hand:
/// float32, one thread, no dropout. Nothing is allocated after construction.
class FusedModel {
 public:
  /// Initialised as `Gpt` is. Throws `Error` for a config that `model_problems` objects to.
  FusedModel(const Config& config, std::uint64_t seed);

  /// Sum over tokens of the cross-entropy in nats. Adds what this forward pass shows to `measured`
  /// unless it is null.
  double loss_sum(const Sequences& sequences, MechanismSums* measured = nullptr);

  /// Mean loss over the batch; its gradients are left in the tensors. Measuring changes no bit.
  double loss_and_gradients(const Sequences& batch, MechanismSums* measured = nullptr);

  /// Global 2-norm of the gradients.
  double gradient_norm();

  /// AdamW update number `steps` (from 1 on) at rate `lr`, gradients multiplied by `clip`. Returns
  /// whether all parameters are finite.
  bool update(double lr, double clip, std::int64_t steps);

  /// To be called after values have been overwritten.
  void values_changed();

  [[nodiscard]] std::span<const FusedTensor> tensors() const { return plan_.tensors; }
  [[nodiscard]] const ModelConfig& config() const { return plan_.model; }
  [[nodiscard]] std::size_t bytes() const { return arena_.bytes(); }

  /// Where times of the parts are added up; null: nowhere.
  void set_times(StepTimes* times) { times_ = times; }

 private:
  /// Sequences that are worked on at once.
  struct Chunk {
    const std::int64_t* inputs;
    const std::int64_t* targets;
    std::int64_t sequences;
    std::int64_t rows;  ///< tokens
  };

  template <typename Work>
  void for_each_chunk(const Sequences& sequences, Work work) const;

  void forward(const Chunk& chunk);
  void forward_attention(const FusedBlock& block, const Chunk& chunk, std::size_t layer);
  void forward_mlp(const FusedBlock& block, const Chunk& chunk, float* y);
  double head(const Chunk& chunk, const float* factor);
  void backward(const Chunk& chunk);
  void backward_mlp(const FusedBlock& block, const Chunk& chunk);
  void backward_attention(const FusedBlock& block, const Chunk& chunk);

  void norm(const LayerNorm& norm, const float* x, std::int64_t rows, float* y);
  void norm_gradient(const LayerNorm& norm, const float* x, std::int64_t rows, bool add);
  void multiply(const Linear& linear, const float* x, std::int64_t rows, float* y, Into into);
  void multiply_back(const Linear& linear, const float* dy, std::int64_t rows, float* dx);
  void weight_gradient(const Linear& linear, const float* x, const float* dy, std::int64_t rows);
  void pack();

  TrainConfig train_;
  Arena arena_;
  FusedPlan plan_;
  StepTimes* times_ = nullptr;
  MechanismSums* measured_ = nullptr;  ///< during a pass that is measured
  bool packed_ = false;
};

}  // namespace sweep
