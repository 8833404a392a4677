#include "gpt/batches.h"

#include <algorithm>

#include "sweep/base/error.h"
#include "sweep/base/random.h"

namespace sweep {

void draw_batch_offsets(std::uint64_t seed, std::int64_t update, std::int64_t train_tokens,
                        std::int64_t block_size, std::span<std::int64_t> offsets) {
  if (train_tokens <= block_size) {
    fail(ExitCode::kBadInput,
         "the training part has {} tokens, but a window of model.block_size {} needs at least {}",
         train_tokens, block_size, block_size + 1);
  }
  RandomStream stream(seed, "batch", static_cast<std::uint64_t>(update));
  for (std::int64_t& offset : offsets) {
    offset = static_cast<std::int64_t>(
        stream.below(static_cast<std::uint64_t>(train_tokens - block_size)));
  }
}

std::vector<std::int64_t> batch_offsets(std::uint64_t seed, std::int64_t update,
                                        std::int64_t batch_size, std::int64_t train_tokens,
                                        std::int64_t block_size) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(batch_size));
  draw_batch_offsets(seed, update, train_tokens, block_size, offsets);
  return offsets;
}

void gather_windows(std::span<const Token> tokens, std::span<const std::int64_t> offsets,
                    std::int64_t block_size, TokenBatch& batch) {
  const auto width = static_cast<std::size_t>(block_size);
  batch.inputs.resize(offsets.size() * width);
  batch.targets.resize(offsets.size() * width);
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    const auto window = tokens.subspan(static_cast<std::size_t>(offsets[row]), width + 1);
    const auto to = static_cast<std::ptrdiff_t>(row * width);
    std::copy_n(window.begin(), width, batch.inputs.begin() + to);
    std::copy_n(window.begin() + 1, width, batch.targets.begin() + to);
  }
}

}  // namespace sweep
