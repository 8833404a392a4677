#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <span>

#include "gpt/model.h"
#include "sweep/data/corpus.h"

namespace sweep {

/// Mean cross-entropy in nats per token over the fixed windows of `eval_windows(val, eval_tokens,
/// T)`: chunks of `chunk_windows` windows in their order, summed in double. Draws nothing, changes
/// nothing. `between_chunks` is called after each chunk.
double fixed_set_loss(const Gpt& model, std::span<const Token> val, std::int64_t eval_tokens,
                      std::int64_t chunk_windows, at::Device device,
                      const std::function<void()>& between_chunks);

}  // namespace sweep
