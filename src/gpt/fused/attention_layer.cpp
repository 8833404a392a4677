// A sequence at a time: what is normalised stays in the cache until it is used.
#include "gpt/fused/attention_layer.h"

#include <algorithm>
#include <cmath>

#include "gpt/fused/norm.h"
#include "gpt/kernels/attention_kernel.h"

namespace sweep {
namespace {

RowNorm row_norm(QkNorm variant) {
  if (variant == QkNorm::kLnPerHead) return {RowNorm::Kind::kLayer, 1e-6};
  if (variant == QkNorm::kL2Scalar) return {RowNorm::Kind::kLength, 1e-12};
  return {RowNorm::Kind::kRms, 1e-6};
}

/// Each token's heads, or its whole width where the variant normalises that.
NormRows rows_of(const FusedPlan& plan) {
  const ModelConfig& model = plan.model;
  if (model.qk_norm == QkNorm::kRmsFull) return {model.block_size, 1, model.n_embd};
  return {model.block_size, model.n_head, plan.head_size};
}

AttentionShape shape_of(const FusedPlan& plan) {
  return {1, plan.model.block_size, plan.model.n_head, plan.head_size};
}

template <typename T>
Heads<T> heads(const FusedPlan& plan, T* data, std::int64_t stride) {
  return {data, plan.model.block_size * stride, stride, plan.head_size};
}

/// The gains that q is multiplied by; l2_scalar's one number, which acts on q alone, is copied to
/// all of them.
const float* gains_of_q(const FusedPlan& plan, const FusedBlock& block) {
  if (plan.model.qk_norm != QkNorm::kL2Scalar) return block.q_gain.value;
  std::fill_n(plan.scratch.gains, plan.head_size, *block.qk_scale.value);
  return plan.scratch.gains;
}

/// q, k or v of a sequence in a packed array.
template <typename T>
T* packed(const FusedPlan& plan, T* qkv, std::int64_t index, std::int64_t which) {
  const std::int64_t d = plan.model.n_embd;
  return qkv + index * plan.model.block_size * 3 * d + which * d;
}

/// Those of one sequence.
RowScale* scales_of(const FusedPlan& plan, RowScale* scales, std::int64_t index) {
  const NormRows rows = rows_of(plan);
  return scales + index * rows.outer * rows.inner;
}

/// What attention multiplies q k^T by.
float scale_of(const FusedPlan& plan) {
  if (plan.model.qk_norm == QkNorm::kL2Scalar) return 1;
  return 1 / std::sqrt(static_cast<float>(plan.head_size));
}

/// Queries, keys and values as attention takes them.
AttentionInputs<float> inputs_of(const FusedPlan& plan, const FusedBlock& block,
                                 std::int64_t index) {
  const std::int64_t d = plan.model.n_embd;
  const auto part = [&](std::int64_t which) {
    return heads(plan, packed<const float>(plan, block.qkv, index, which), 3 * d);
  };
  if (plan.model.qk_norm == QkNorm::kNone) return {part(0), part(1), part(2)};
  const std::int64_t begin = index * plan.model.block_size * d;
  return {heads<const float>(plan, block.q + begin, d),
          heads<const float>(plan, block.k + begin, d), part(2)};
}

void normalise_forward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index) {
  const std::int64_t d = plan.model.n_embd;
  const RowNorm norm = row_norm(plan.model.qk_norm);
  const std::int64_t begin = index * plan.model.block_size * d;
  norm_forward(norm, rows_of(plan), packed(plan, block.qkv, index, 0), 3 * d,
               gains_of_q(plan, block), nullptr, block.q + begin, d,
               scales_of(plan, block.q_scales, index));
  norm_forward(norm, rows_of(plan), packed(plan, block.qkv, index, 1), 3 * d, block.k_gain.value,
               nullptr, block.k + begin, d, scales_of(plan, block.k_scales, index));
}

/// Gradients of q and k before their norm, from those after it in scratch memory.
void normalise_backward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index,
                        float* dqkv) {
  const std::int64_t d = plan.model.n_embd;
  const RowNorm norm = row_norm(plan.model.qk_norm);
  const NormRows rows = rows_of(plan);
  const Scratch& scratch = plan.scratch;
  const bool is_scalar = plan.model.qk_norm == QkNorm::kL2Scalar;
  if (is_scalar) std::fill_n(scratch.dgains, plan.head_size, 0.0F);
  float* const dq_gain = is_scalar ? scratch.dgains : block.q_gain.gradient;
  norm_backward(norm, rows, packed(plan, block.qkv, index, 0), 3 * d,
                scales_of(plan, block.q_scales, index), gains_of_q(plan, block), scratch.dq, d,
                {packed(plan, dqkv, index, 0), 3 * d, false, dq_gain, nullptr, scratch.sums});
  norm_backward(
      norm, rows, packed(plan, block.qkv, index, 1), 3 * d, scales_of(plan, block.k_scales, index),
      block.k_gain.value, scratch.dk, d,
      {packed(plan, dqkv, index, 1), 3 * d, false, block.k_gain.gradient, nullptr, scratch.sums});
  if (!is_scalar) return;
  for (std::int64_t i = 0; i < plan.head_size; ++i) *block.qk_scale.gradient += scratch.dgains[i];
}

}  // namespace

void attend(const FusedPlan& plan, const FusedBlock& block, std::int64_t index, bool measured) {
  const std::int64_t d = plan.model.n_embd;
  const std::int64_t first = index * plan.model.block_size;
  if (plan.model.qk_norm != QkNorm::kNone) normalise_forward(plan, block, index);
  attention_forward<float>(shape_of(plan), scale_of(plan), inputs_of(plan, block, index),
                           heads(plan, block.mixed + first * d, d),
                           block.log_sums + first * plan.model.n_head, {0, plan.model.n_head},
                           plan.scratch.attention, measured ? &plan.scratch.measured : nullptr);
}

void attend_backward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index,
                     const float* dmixed, float* dqkv) {
  const std::int64_t d = plan.model.n_embd;
  const std::int64_t first = index * plan.model.block_size;
  const bool normed = plan.model.qk_norm != QkNorm::kNone;
  const std::int64_t stride = normed ? d : 3 * d;
  float* const dq = normed ? plan.scratch.dq : packed(plan, dqkv, index, 0);
  float* const dk = normed ? plan.scratch.dk : packed(plan, dqkv, index, 1);
  attention_backward<float>(shape_of(plan), scale_of(plan), inputs_of(plan, block, index),
                            heads(plan, dmixed + first * d, d),
                            block.log_sums + first * plan.model.n_head,
                            {heads(plan, dq, stride), heads(plan, dk, stride),
                             heads(plan, packed(plan, dqkv, index, 2), 3 * d)},
                            {0, plan.model.n_head}, plan.scratch.attention);
  if (normed) normalise_backward(plan, block, index, dqkv);
}

}  // namespace sweep
