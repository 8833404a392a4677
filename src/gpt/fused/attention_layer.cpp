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
  return {data, 0, stride, plan.head_size};
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
  norm_backward(norm, rows, packed(plan, block.qkv, index, 0), 3 * d, gains_of_q(plan, block),
                scratch.dq, d,
                {packed(plan, dqkv, index, 0), 3 * d, false, dq_gain, nullptr, scratch.sums});
  norm_backward(
      norm, rows, packed(plan, block.qkv, index, 1), 3 * d, block.k_gain.value, scratch.dk, d,
      {packed(plan, dqkv, index, 1), 3 * d, false, block.k_gain.gradient, nullptr, scratch.sums});
  if (!is_scalar) return;
  for (std::int64_t i = 0; i < plan.head_size; ++i) *block.qk_scale.gradient += scratch.dgains[i];
}

}  // namespace

NormalisedHeads normalise_heads(const FusedPlan& plan, const FusedBlock& block,
                                std::int64_t index) {
  const std::int64_t d = plan.model.n_embd;
  const QkNorm variant = plan.model.qk_norm;
  const float* const q = packed(plan, block.qkv, index, 0);
  const float* const k = packed(plan, block.qkv, index, 1);
  const float scale =
      variant == QkNorm::kL2Scalar ? 1 : 1 / std::sqrt(static_cast<float>(plan.head_size));
  if (variant == QkNorm::kNone) return {q, k, 3 * d, scale};
  norm_forward(row_norm(variant), rows_of(plan), q, 3 * d, gains_of_q(plan, block), nullptr,
               plan.scratch.q, d);
  norm_forward(row_norm(variant), rows_of(plan), k, 3 * d, block.k_gain.value, nullptr,
               plan.scratch.k, d);
  return {plan.scratch.q, plan.scratch.k, d, scale};
}

void attend(const FusedPlan& plan, const FusedBlock& block, const NormalisedHeads& in,
            std::int64_t index) {
  const std::int64_t d = plan.model.n_embd;
  const std::int64_t first = index * plan.model.block_size;
  const float* const v = packed<const float>(plan, block.qkv, index, 2);
  attention_forward<float>(
      shape_of(plan), in.scale,
      {heads(plan, in.q, in.stride), heads(plan, in.k, in.stride), heads(plan, v, 3 * d)},
      heads(plan, block.mixed + first * d, d), block.log_sums + first * plan.model.n_head,
      {0, plan.model.n_head}, plan.scratch.attention);
}

void attend_backward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index,
                     const float* dmixed, float* dqkv) {
  const std::int64_t d = plan.model.n_embd;
  const std::int64_t first = index * plan.model.block_size;
  const bool normed = plan.model.qk_norm != QkNorm::kNone;
  const NormalisedHeads in = normalise_heads(plan, block, index);
  const float* const v = packed<const float>(plan, block.qkv, index, 2);
  const std::int64_t stride = normed ? d : 3 * d;
  float* const dq = normed ? plan.scratch.dq : packed(plan, dqkv, index, 0);
  float* const dk = normed ? plan.scratch.dk : packed(plan, dqkv, index, 1);
  attention_backward<float>(
      shape_of(plan), in.scale,
      {heads(plan, in.q, in.stride), heads(plan, in.k, in.stride), heads(plan, v, 3 * d)},
      heads(plan, dmixed + first * d, d), block.log_sums + first * plan.model.n_head,
      {heads(plan, dq, stride), heads(plan, dk, stride),
       heads(plan, packed(plan, dqkv, index, 2), 3 * d)},
      {0, plan.model.n_head}, plan.scratch.attention);
  if (normed) normalise_backward(plan, block, index, dqkv);
}

}  // namespace sweep
