#pragma once

#include <cstdint>

#include "gpt/fused/plan.h"

namespace sweep {

/// block.mixed and block.log_sums of sequence `index` of a chunk from its block.qkv, by way of
/// block.q and block.k where the model has a QK-norm. With `measured` the rows of its
/// heads are left in scratch.measured.
void attend(const FusedPlan& plan, const FusedBlock& block, std::int64_t index, bool measured);

/// dqkv (tokens, 3d) of that sequence from dmixed (tokens, d), both of the whole chunk, and the
/// gradients of gains.
void attend_backward(const FusedPlan& plan, const FusedBlock& block, std::int64_t index,
                     const float* dmixed, float* dqkv);

}  // namespace sweep
