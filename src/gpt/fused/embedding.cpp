#include "gpt/fused/embedding.h"

#include "gpt/fused/instruction_set.h"

namespace sweep {
namespace {

void embed_body(const Ids& ids, std::int64_t width, const float* tokens_table,
                const float* positions_table, float* x) {
  for (std::int64_t i = 0; i < ids.tokens; ++i) {
    const float* token = tokens_table + ids.ids[i] * width;
    const float* position = positions_table + i % ids.length * width;
    for (std::int64_t j = 0; j < width; ++j) x[i * width + j] = token[j] + position[j];
  }
}

void embed_backward_body(const Ids& ids, std::int64_t width, const float* dx,
                         float* tokens_gradient, float* positions_gradient) {
  for (std::int64_t i = 0; i < ids.tokens; ++i) {
    float* token = tokens_gradient + ids.ids[i] * width;
    float* position = positions_gradient + i % ids.length * width;
    for (std::int64_t j = 0; j < width; ++j) {
      token[j] += dx[i * width + j];
      position[j] += dx[i * width + j];
    }
  }
}

}  // namespace

SWEEP_COMPILE(embed,
              (const Ids& ids, std::int64_t width, const float* tokens_table,
               const float* positions_table, float* x),
              (ids, width, tokens_table, positions_table, x))
SWEEP_COMPILE(embed_backward,
              (const Ids& ids, std::int64_t width, const float* dx, float* tokens_gradient,
               float* positions_gradient),
              (ids, width, dx, tokens_gradient, positions_gradient))

}  // namespace sweep
