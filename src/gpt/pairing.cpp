#include "gpt/pairing.h"

#include <algorithm>
#include <vector>

#include "gpt/batches.h"
#include "gpt/layout.h"
#include "sweep/base/hash.h"

namespace sweep {

std::string shared_init_hash(const ModelConfig& model, std::span<const TensorBytes> initial) {
  ModelConfig plain = model;
  plain.qk_norm = QkNorm::kNone;
  const auto plan = plan_tensors(plain);
  std::vector<TensorBytes> shared;
  for (const TensorBytes& tensor : initial) {
    const bool there = std::any_of(plan.begin(), plan.end(), [&](const TensorPlan& planned) {
      return planned.name == tensor.name;
    });
    if (there) shared.push_back(tensor);
  }
  return sha256(write_safetensors(shared, {}));
}

std::string batches_hash(const Config& config, std::uint64_t seed, std::int64_t train_tokens) {
  std::string bytes;
  for (std::int64_t update = 0; update < config.train.max_iters; ++update) {
    for (const std::int64_t offset : batch_offsets(seed, update, config.train.batch_size,
                                                   train_tokens, config.model.block_size)) {
      bytes += std::to_string(offset) + '\n';
    }
  }
  return sha256(bytes);
}

}  // namespace sweep
