#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <span>

#include "gpt/batches.h"
#include "gpt/model.h"
#include "sweep/data/corpus.h"

namespace sweep {

class FusedModel;

/// The held-out part and which of its windows are evaluated, how many at once.
struct FixedSet {
  std::span<const Token> val;
  std::int64_t eval_tokens = 0;    ///< 0: all that fit
  std::int64_t chunk_windows = 1;  ///< > 0
};

/// Visits the windows of `eval_windows` in their order, a chunk at a time: ids and targets, both
/// (windows, T) int64.
void for_each_chunk(const FixedSet& set, std::int64_t block_size, at::Device device,
                    const std::function<void(const at::Tensor&, const at::Tensor&)>& visit);

/// The same as plain ids.
void for_each_batch(const FixedSet& set, std::int64_t block_size,
                    const std::function<void(TokenBatch&)>& visit);

/// Mean cross-entropy in nats per token over the fixed set, summed in double in a fixed order.
/// Draws nothing, changes nothing. `between_chunks` is called after each chunk.
double fixed_set_loss(const Gpt& model, const FixedSet& set, at::Device device,
                      const std::function<void()>& between_chunks);

/// The same by the hand-written step.
double fixed_set_loss(FusedModel& model, const FixedSet& set,
                      const std::function<void()>& between_chunks);

}  // namespace sweep
