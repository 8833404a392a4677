#include "sweep/prereg/run_spec.h"

namespace sweep {
namespace {

std::int64_t attention_norm_parameters(const ModelConfig& model) {
  const std::int64_t head_size = model.n_embd / model.n_head;
  switch (model.qk_norm) {
    case QkNorm::kNone:
    case QkNorm::kRmsNoaffine:
      return 0;
    case QkNorm::kRmsPerHead:
    case QkNorm::kLnPerHead:
      return 2 * head_size;
    case QkNorm::kRmsFull:
      return 2 * model.n_embd;
    case QkNorm::kL2Scalar:
      return 1;
  }
  return 0;
}

std::int64_t block_parameters(const ModelConfig& model) {
  const std::int64_t d = model.n_embd;
  const std::int64_t matrices = 12 * d * d;
  const std::int64_t vectors = model.bias ? 13 * d : 2 * d;
  return matrices + vectors + attention_norm_parameters(model);
}

}  // namespace

ParameterCounts count_parameters(const ModelConfig& model) {
  const std::int64_t d = model.n_embd;
  const std::int64_t table = model.vocab_size * d;
  ParameterCounts counts;
  counts.qk_norm = model.n_layer * attention_norm_parameters(model);
  counts.non_embedding = model.n_layer * block_parameters(model) + (model.bias ? 2 * d : d);
  counts.nanogpt = counts.non_embedding + table + (model.tie_weights ? 0 : table);
  counts.total = counts.nanogpt + model.block_size * d;
  return counts;
}

}  // namespace sweep
