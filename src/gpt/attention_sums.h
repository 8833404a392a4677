#pragma once

#include <ATen/ATen.h>

#include "gpt/mechanism_sums.h"
#include "gpt/qk_norm.h"

namespace sweep {

/// Adds what LibTorch computes of causal attention over these windows of one block, some windows at
/// a time, since their (T, T) logits are large.
void add_attention(const QueriesAndKeys& qk, const WantedSums& wanted, AttentionSums& sums);

/// Queries and keys before their norm, both (B, T, H, Dh).
void add_queries_and_keys(const at::Tensor& q, const at::Tensor& k, AttentionSums& sums);

}  // namespace sweep
