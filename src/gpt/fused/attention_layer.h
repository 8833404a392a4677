#pragma once

#include <cstdint>

#include "gpt/fused/plan.h"

namespace sweep {

/// Queries and keys of one sequence as attention takes them: heads side by side in rows that lie
/// `stride` apart.
struct NormalisedHeads {
  const float* q;
  const float* k;
  std::int64_t stride;
  float scale;  ///< what attention multiplies q k^T by
};

/// Normalises queries and keys of sequence `index` of a chunk by the model's `qk_norm`, into
/// scratch memory; with none they are taken as they are.
NormalisedHeads normalise_heads(const FusedPlan& plan, const FusedBlock& block, std::int64_t index);

/// block.mixed and block.log_sums of that sequence from its block.qkv.
void attend(const FusedPlan& plan, const FusedBlock& block, const NormalisedHeads& heads,
            std::int64_t index);

/// dqkv (tokens, 3d) of that sequence from dmixed (tokens, d), both of the whole chunk, and the
/// gradients of gains.
void attend_backward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index,
                     const float* dmixed, float* dqkv);

}  // namespace sweep
