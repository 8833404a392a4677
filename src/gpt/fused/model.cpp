#include "gpt/fused/model.h"

#include <algorithm>
#include <cmath>

#include "gpt/fused/adamw.h"
#include "gpt/fused/attention_layer.h"
#include "gpt/fused/cross_entropy.h"
#include "gpt/fused/embedding.h"
#include "gpt/fused/gelu.h"
#include "gpt/fused/measurement.h"
#include "gpt/fused/norm.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

constexpr RowNorm kLayerNorm{RowNorm::Kind::kLayer, 1e-5};

const Config& checked(const Config& config) {
  for (const std::string& problem : model_problems(config.model)) {
    fail(ExitCode::kBadInput, "{}", problem);
  }
  if (config.model.vocab_size < 1) {
    fail(ExitCode::kBadInput, "model.vocab_size must be known by now");
  }
  return config;
}

void initialise(const FusedTensor& tensor, std::uint64_t seed) {
  const std::vector<double> values = initial_values(tensor.plan, seed);
  std::transform(values.begin(), values.end(), tensor.value,
                 [](double value) { return static_cast<float>(value); });
}

/// Decay of one update as a factor of the weights.
double keep_of(const TrainConfig& train, double lr) {
  const bool is_independent = train.weight_decay_mode == WeightDecayMode::kIndependent;
  return 1 - (is_independent ? lr / train.learning_rate : lr) * train.weight_decay;
}

}  // namespace

FusedModel::FusedModel(const Config& config, std::uint64_t seed)
    : train_(checked(config).train),
      arena_(fused_size(config.model, train_.batch_size)),
      plan_(config.model, train_.batch_size, Cursor(arena_.data())) {
  for (const FusedTensor& tensor : plan_.tensors) initialise(tensor, seed);
}

template <typename Work>
void FusedModel::for_each_chunk(const Sequences& sequences, Work work) const {
  const std::int64_t length = plan_.model.block_size;
  const std::int64_t count = std::ssize(sequences.inputs) / length;
  for (std::int64_t first = 0; first < count; first += plan_.chunk_sequences) {
    const std::int64_t here = std::min(plan_.chunk_sequences, count - first);
    work(Chunk{sequences.inputs.data() + first * length, sequences.targets.data() + first * length,
               here, here * length});
  }
}

double FusedModel::loss_sum(const Sequences& sequences, MechanismSums* measured) {
  measured_ = measured;
  pack();
  double sum = 0;
  for_each_chunk(sequences, [&](const Chunk& chunk) {
    forward(chunk);
    sum += head(chunk, nullptr);
  });
  return sum;
}

double FusedModel::loss_and_gradients(const Sequences& batch, MechanismSums* measured) {
  measured_ = measured;
  pack();
  std::fill_n(plan_.gradients, plan_.tensor_numbers, 0.0F);
  const auto tokens = static_cast<double>(batch.inputs.size());
  const auto factor = static_cast<float>(1 / tokens);
  double sum = 0;
  for_each_chunk(batch, [&](const Chunk& chunk) {
    forward(chunk);
    sum += head(chunk, &factor);
    backward(chunk);
  });
  return sum / tokens;
}

void FusedModel::forward(const Chunk& chunk) {
  {
    const Timed timed(times_, Part::kRest);
    embed({chunk.inputs, chunk.rows, plan_.model.block_size}, plan_.model.n_embd, plan_.wte,
          plan_.wpe, plan_.blocks.front().x);
  }
  for (std::size_t layer = 0; layer < plan_.blocks.size(); ++layer) {
    const FusedBlock& block = plan_.blocks[layer];
    const bool is_last = layer + 1 == plan_.blocks.size();
    float* const next = is_last ? plan_.x_last : plan_.blocks[layer + 1].x;
    forward_attention(block, chunk, layer);
    forward_mlp(block, chunk, next);
  }
  norm(plan_.ln_f, plan_.x_last, chunk.rows, plan_.scratch.normed);
  if (measured_ == nullptr) return;
  const Timed timed(times_, Part::kMeasuring);
  add_activations(plan_, chunk.sequences, *measured_);
}

void FusedModel::forward_attention(const FusedBlock& block, const Chunk& chunk, std::size_t layer) {
  const std::int64_t d = plan_.model.n_embd;
  norm(block.ln_1, block.x, chunk.rows, block.normed_1);
  multiply(block.c_attn, block.normed_1, chunk.rows, block.qkv, Into::kSet);
  const bool is_measured = measured_ != nullptr && measured_->wanted.attention();
  {
    const Timed timed(times_, Part::kAttention);
    for (std::int64_t i = 0; i < chunk.sequences; ++i) {
      attend(plan_, block, i, is_measured);
      if (is_measured) add_attention(plan_, measured_->wanted, measured_->attention[layer]);
    }
  }
  std::copy_n(block.x, chunk.rows * d, block.x_middle);
  multiply(block.attn_proj, block.mixed, chunk.rows, block.x_middle, Into::kAdd);
}

void FusedModel::forward_mlp(const FusedBlock& block, const Chunk& chunk, float* y) {
  const std::int64_t d = plan_.model.n_embd;
  norm(block.ln_2, block.x_middle, chunk.rows, block.normed_2);
  multiply(block.c_fc, block.normed_2, chunk.rows, block.slope, Into::kSet);
  {
    const Timed timed(times_, Part::kGelu);
    gelu_forward(block.slope, chunk.rows * 4 * d, block.active, block.slope);
  }
  std::copy_n(block.x_middle, chunk.rows * d, y);
  multiply(block.mlp_proj, block.active, chunk.rows, y, Into::kAdd);
}

/// Loss of the chunk, whose last norm is in scratch.normed. With a factor also that times the
/// gradients of the head and, in scratch.dnormed, of its input.
double FusedModel::head(const Chunk& chunk, const float* factor) {
  const std::int64_t d = plan_.model.n_embd;
  const Scratch& scratch = plan_.scratch;
  double* const log_z =
      measured_ != nullptr && measured_->wanted.log_z ? &measured_->log_z : nullptr;
  if (log_z != nullptr) measured_->log_z_tokens += static_cast<double>(chunk.rows);
  double sum = 0;
  for (std::int64_t first = 0; first < chunk.rows; first += plan_.head_rows) {
    const std::int64_t rows = std::min(plan_.head_rows, chunk.rows - first);
    const float* x = scratch.normed + first * d;
    multiply(plan_.head, x, rows, scratch.logits, Into::kSet);
    const Predictions predictions{scratch.logits, rows, plan_.head.out, chunk.targets + first};
    {
      const Timed timed(times_, Part::kCrossEntropy);
      sum += factor == nullptr ? cross_entropy(predictions, log_z)
                               : cross_entropy_with_gradient(predictions, *factor, log_z);
    }
    if (factor == nullptr) continue;
    weight_gradient(plan_.head, x, scratch.logits, rows);
    multiply_back(plan_.head, scratch.logits, rows, scratch.dnormed + first * d);
  }
  return sum;
}

void FusedModel::backward(const Chunk& chunk) {
  norm_gradient(plan_.ln_f, plan_.x_last, chunk.rows, false);
  for (auto block = plan_.blocks.rbegin(); block != plan_.blocks.rend(); ++block) {
    backward_mlp(*block, chunk);
    backward_attention(*block, chunk);
  }
  const Timed timed(times_, Part::kRest);
  embed_backward({chunk.inputs, chunk.rows, plan_.model.block_size}, plan_.model.n_embd,
                 plan_.scratch.dx, plan_.wte_gradient, plan_.wpe_gradient);
}

void FusedModel::backward_mlp(const FusedBlock& block, const Chunk& chunk) {
  const Scratch& scratch = plan_.scratch;
  weight_gradient(block.mlp_proj, block.active, scratch.dx, chunk.rows);
  multiply_back(block.mlp_proj, scratch.dx, chunk.rows, scratch.wide);
  {
    const Timed timed(times_, Part::kGelu);
    gelu_backward(block.slope, chunk.rows * 4 * plan_.model.n_embd, scratch.wide);
  }
  weight_gradient(block.c_fc, block.normed_2, scratch.wide, chunk.rows);
  multiply_back(block.c_fc, scratch.wide, chunk.rows, scratch.dnormed);
  norm_gradient(block.ln_2, block.x_middle, chunk.rows, true);
}

void FusedModel::backward_attention(const FusedBlock& block, const Chunk& chunk) {
  const Scratch& scratch = plan_.scratch;
  weight_gradient(block.attn_proj, block.mixed, scratch.dx, chunk.rows);
  multiply_back(block.attn_proj, scratch.dx, chunk.rows, scratch.dnormed);
  {
    const Timed timed(times_, Part::kAttention);
    for (std::int64_t i = 0; i < chunk.sequences; ++i) {
      attend_backward(plan_, block, i, scratch.dnormed, scratch.wide);
    }
  }
  weight_gradient(block.c_attn, block.normed_1, scratch.wide, chunk.rows);
  multiply_back(block.c_attn, scratch.wide, chunk.rows, scratch.dnormed);
  norm_gradient(block.ln_1, block.x, chunk.rows, true);
}

void FusedModel::norm(const LayerNorm& norm, const float* x, std::int64_t rows, float* y) {
  const Timed timed(times_, Part::kNorms);
  const std::int64_t d = plan_.model.n_embd;
  norm_forward(kLayerNorm, {rows, 1, d}, x, d, norm.gain.value, norm.bias.value, y, d, norm.scales);
}

/// scratch.dx from scratch.dnormed, and the gradients of gain and bias.
void FusedModel::norm_gradient(const LayerNorm& norm, const float* x, std::int64_t rows, bool add) {
  const Timed timed(times_, Part::kNorms);
  const std::int64_t d = plan_.model.n_embd;
  const Scratch& scratch = plan_.scratch;
  norm_backward(kLayerNorm, {rows, 1, d}, x, d, norm.scales, norm.gain.value, scratch.dnormed, d,
                {scratch.dx, d, add, norm.gain.gradient, norm.bias.gradient, scratch.sums});
}

void FusedModel::multiply(const Linear& linear, const float* x, std::int64_t rows, float* y,
                          Into into) {
  const Timed timed(times_, Part::kProducts);
  linear_forward(linear, x, rows, y, into);
}

void FusedModel::multiply_back(const Linear& linear, const float* dy, std::int64_t rows,
                               float* dx) {
  const Timed timed(times_, Part::kProducts);
  linear_backward(linear, dy, rows, dx);
}

void FusedModel::weight_gradient(const Linear& linear, const float* x, const float* dy,
                                 std::int64_t rows) {
  const Timed timed(times_, Part::kProducts);
  add_weight_gradient(linear, x, dy, rows, {plan_.scratch.panels, plan_.scratch.sums});
}

void FusedModel::pack() {
  if (packed_) return;
  const Timed timed(times_, Part::kPacking);
  pack_weights(plan_.head);
  for (const FusedBlock& block : plan_.blocks) {
    for (const Linear* linear : {&block.c_attn, &block.attn_proj, &block.c_fc, &block.mlp_proj}) {
      pack_weights(*linear);
    }
  }
  packed_ = true;
}

void FusedModel::values_changed() { packed_ = false; }

double FusedModel::gradient_norm() {
  const Timed timed(times_, Part::kOptimizer);
  return std::sqrt(square_sum(plan_.gradients, plan_.tensor_numbers));
}

bool FusedModel::update(double lr, double clip, std::int64_t steps) {
  const Timed timed(times_, Part::kOptimizer);
  const auto count = static_cast<double>(steps);
  AdamWUpdate update{};
  update.clip = static_cast<float>(clip);
  update.fresh1 = static_cast<float>(1 - train_.beta1);
  update.beta2 = static_cast<float>(train_.beta2);
  update.fresh2 = static_cast<float>(1 - train_.beta2);
  update.rate = static_cast<float>(lr / (1 - std::pow(train_.beta1, count)));
  update.root = static_cast<float>(1 / std::sqrt(1 - std::pow(train_.beta2, count)));
  update.eps = static_cast<float>(train_.eps);
  bool finite = true;
  for (const FusedTensor& tensor : plan_.tensors) {
    update.keep = tensor.plan.decayed() ? static_cast<float>(keep_of(train_, lr)) : 1.0F;
    finite &=
        adamw(update, tensor.gradient, {tensor.value, tensor.m, tensor.v}, tensor.plan.size());
  }
  values_changed();
  return finite;
}

}  // namespace sweep
