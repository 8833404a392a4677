#pragma once

#include <cstdint>
#include <vector>

#include "gpt/fused/arena.h"
#include "gpt/fused/linear.h"
#include "gpt/fused/norm.h"
#include "gpt/kernels/attention_kernel.h"
#include "gpt/layout.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// One trained tensor and what belongs to it, each an array of plan.size() numbers.
struct FusedTensor {
  TensorPlan plan;
  float* value = nullptr;
  float* gradient = nullptr;
  float* m = nullptr;
  float* v = nullptr;
};

/// A gain or a bias with its gradient; null where the model has none.
struct Vector {
  const float* value = nullptr;
  float* gradient = nullptr;
};

struct LayerNorm {
  Vector gain;
  Vector bias;
  RowScale* scales = nullptr;  ///< (tokens), of the forward pass
};

struct FusedBlock {
  LayerNorm ln_1, ln_2;
  Linear c_attn, attn_proj, c_fc, mlp_proj;
  Vector q_gain, k_gain, qk_scale;

  // What the backward pass needs of the forward one, for the tokens of one chunk.
  float* x;                       ///< (tokens, d): what enters the block
  float* normed_1;                ///< (tokens, d): ln_1 of it
  float* qkv;                     ///< (tokens, 3d)
  RowScale *q_scales, *k_scales;  ///< (tokens) or (tokens, H), of that norm
  float *q, *k;                   ///< (tokens, d): normalised; null where the model has no QK-norm
  float* log_sums;                ///< (sequences, H, T): of each row of attention
  float* mixed;                   ///< (tokens, d): what attention puts out
  float* x_middle;                ///< (tokens, d): what enters the MLP
  float* normed_2;                ///< (tokens, d): ln_2 of it
  float* slope;                   ///< (tokens, 4d): of GELU; before it, what GELU is taken of
  float* active;                  ///< (tokens, 4d): after GELU
};

/// Memory that is used anew all the time.
struct Scratch {
  float* normed;     ///< (tokens, d)
  float* dx;         ///< (tokens, d): gradient of the residual stream
  float* dnormed;    ///< (tokens, d)
  float* wide;       ///< (tokens, 4d): gradient of the MLP's middle or of `qkv`
  float* logits;     ///< (head_rows, V)
  float* panels;     ///< one matrix of activations, packed
  float* sums;       ///< two rows of column sums
  float *dq, *dk;    ///< (T, d): gradients after the norm, of one sequence
  float* gains;      ///< (Dh): copies of l2_scalar's one number
  float* dgains;     ///< (Dh)
  float* attention;  ///< the attention kernel's own
  float* branch;     ///< (tokens, d): what a block added to the residual stream, if measured
  AttentionRows<float> measured;  ///< (H, T) each, of one sequence
};

/// All memory of a training step in one array, whose size follows from the config alone:
///
///     | values | gradients | m | v | panels of the weights | activations | scratch |
///       each: all tensors in nanoGPT's order                 by layer, of one chunk
///
/// A step takes the batch a chunk at a time: whole sequences of about 512 tokens, through forward
/// and backward pass, while their activations lie in the cache. Gradients add up over the chunks in
/// their order; so the memory does not grow with the batch.
struct FusedPlan {
  FusedPlan(const ModelConfig& model, std::int64_t batch_size, Cursor cursor);

  ModelConfig model;
  std::int64_t head_size;
  std::int64_t chunk_sequences;
  std::int64_t head_rows;  ///< tokens whose logits are there at once
  std::int64_t used = 0;   ///< numbers

  std::vector<FusedTensor> tensors;
  std::int64_t tensor_numbers;  ///< of each of the first four parts, with what lies between tensors
  float* values;
  float* gradients;

  const float* wte;
  float* wte_gradient;
  const float* wpe;
  float* wpe_gradient;
  std::vector<FusedBlock> blocks;
  LayerNorm ln_f;
  Linear head;
  float* x_last;  ///< (tokens, d): what leaves the last block
  Scratch scratch;

  [[nodiscard]] std::int64_t chunk_tokens() const { return chunk_sequences * model.block_size; }
};

/// Numbers that the plan takes.
std::int64_t fused_size(const ModelConfig& model, std::int64_t batch_size);

}  // namespace sweep
