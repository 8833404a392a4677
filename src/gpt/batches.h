#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sweep/data/corpus.h"

namespace sweep {

/// Where the rows of one update's batch begin in the training part, as nanoGPT draws them: uniform
/// over [0, train_tokens - block_size), with replacement. A pure function of (seed, update), so
/// that both arms, every depth and every learning rate of a seed see the same batches. Throws
/// `Error` (`kBadInput`) when the training part is not longer than a window.
std::vector<std::int64_t> batch_offsets(std::uint64_t seed, std::int64_t update,
                                        std::int64_t batch_size, std::int64_t train_tokens,
                                        std::int64_t block_size);

/// The same into memory that is used again.
void draw_batch_offsets(std::uint64_t seed, std::int64_t update, std::int64_t train_tokens,
                        std::int64_t block_size, std::span<std::int64_t> offsets);

/// Token ids as the model takes them, both (rows, T) in row-major order.
struct TokenBatch {
  std::vector<std::int64_t> inputs;
  std::vector<std::int64_t> targets;  ///< the inputs one later
};

/// Copies the windows [offset, offset + T] of `tokens` into `batch`, reusing its memory.
void gather_windows(std::span<const Token> tokens, std::span<const std::int64_t> offsets,
                    std::int64_t block_size, TokenBatch& batch);

}  // namespace sweep
