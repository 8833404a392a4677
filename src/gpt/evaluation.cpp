#include "gpt/evaluation.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

#include "gpt/fused/model.h"
#include "gpt/tensor_bytes.h"

namespace sweep {

void for_each_batch(const FixedSet& set, std::int64_t block_size,
                    const std::function<void(TokenBatch&)>& visit) {
  const std::int64_t windows = eval_windows(std::ssize(set.val), set.eval_tokens, block_size);
  TokenBatch batch;
  for (std::int64_t first = 0; first < windows; first += set.chunk_windows) {
    const std::int64_t last = std::min(first + set.chunk_windows, windows);
    std::vector<std::int64_t> offsets;
    for (std::int64_t window = first; window < last; ++window) {
      offsets.push_back(window * block_size);
    }
    gather_windows(set.val, offsets, block_size, batch);
    visit(batch);
  }
}

void for_each_chunk(const FixedSet& set, std::int64_t block_size, at::Device device,
                    const std::function<void(const at::Tensor&, const at::Tensor&)>& visit) {
  for_each_batch(set, block_size, [&](TokenBatch& batch) {
    visit(to_ids(batch.inputs, block_size, device), to_ids(batch.targets, block_size, device));
  });
}

double fixed_set_loss(const Gpt& model, const FixedSet& set, at::Device device,
                      const std::function<void()>& between_chunks) {
  const c10::NoGradGuard no_grad;
  double sum = 0;
  std::int64_t windows = 0;
  for_each_chunk(set, model.config().block_size, device,
                 [&](const at::Tensor& ids, const at::Tensor& targets) {
                   sum +=
                       model.loss(ids, targets).item<double>() * static_cast<double>(ids.size(0));
                   windows += ids.size(0);
                   between_chunks();
                 });
  return sum / static_cast<double>(windows);
}

double fixed_set_loss(FusedModel& model, const FixedSet& set,
                      const std::function<void()>& between_chunks) {
  double sum = 0;
  std::size_t tokens = 0;
  for_each_batch(set, model.config().block_size, [&](const TokenBatch& batch) {
    sum += model.loss_sum({batch.inputs, batch.targets});
    tokens += batch.inputs.size();
    between_chunks();
  });
  return sum / static_cast<double>(tokens);
}

}  // namespace sweep
