#pragma once

#include <cstdint>

#include "gpt/fused/plan.h"
#include "gpt/mechanism_sums.h"

namespace sweep {

/// What `attend` has left in scratch.measured: one window of one block.
void add_attention(const FusedPlan& plan, const WantedSums& wanted, AttentionSums& sums);

/// What else a forward pass over `windows` windows has left in the blocks. What a block adds to the
/// residual stream is taken as the difference of the stream behind it and before.
void add_activations(const FusedPlan& plan, std::int64_t windows, MechanismSums& sums);

}  // namespace sweep
