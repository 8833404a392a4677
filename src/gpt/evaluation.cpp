#include "gpt/evaluation.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

#include "gpt/batches.h"
#include "gpt/tensor_bytes.h"

namespace sweep {

double fixed_set_loss(const Gpt& model, std::span<const Token> val, std::int64_t eval_tokens,
                      std::int64_t chunk_windows, at::Device device,
                      const std::function<void()>& between_chunks) {
  const c10::NoGradGuard no_grad;
  const std::int64_t width = model.config().block_size;
  const std::int64_t windows = eval_windows(std::ssize(val), eval_tokens, width);
  TokenBatch batch;
  double sum = 0;
  for (std::int64_t first = 0; first < windows; first += chunk_windows) {
    const std::int64_t last = std::min(first + chunk_windows, windows);
    std::vector<std::int64_t> offsets;
    for (std::int64_t window = first; window < last; ++window) offsets.push_back(window * width);
    gather_windows(val, offsets, width, batch);
    const at::Tensor loss =
        model.loss(to_ids(batch.inputs, width, device), to_ids(batch.targets, width, device));
    sum += loss.item<double>() * static_cast<double>(last - first);
    between_chunks();
  }
  return sum / static_cast<double>(windows);
}

}  // namespace sweep
