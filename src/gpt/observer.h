#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "gpt/qk_norm.h"

namespace sweep {

/// What a block adds to the residual stream, each with its projection.
enum class Branch { kAttention, kMlp };

/// Looks at what a forward pass computes, for measurements; what it sees it must not change.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;

  /// The residual stream that enters block `layer` (0-based): (B, T, d).
  virtual void see_block_input(std::int64_t layer, const at::Tensor& x) = 0;

  /// Queries and keys of that block as they come out of c_attn, both (B, T, H, Dh), and as
  /// attention takes them.
  virtual void see_queries_and_keys(std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                                    const QueriesAndKeys& normalised) = 0;

  /// What that block adds to the residual stream: (B, T, d).
  virtual void see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) = 0;

  /// The residual stream that leaves the last block: (B, T, d).
  virtual void see_last_residual(const at::Tensor& x) = 0;
};

}  // namespace sweep
