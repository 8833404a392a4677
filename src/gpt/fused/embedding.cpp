#ifndef SWEEP_IN_KERNELS

#include "gpt/fused/embedding.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/fused/embedding.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

void embed(const Ids& ids, std::int64_t width, const float* tokens_table,
           const float* positions_table, float* x) {
  SWEEP_DISPATCH(embed(ids, width, tokens_table, positions_table, x));
}

void embed_backward(const Ids& ids, std::int64_t width, const float* dx, float* tokens_gradient,
                    float* positions_gradient) {
  SWEEP_DISPATCH(embed_backward(ids, width, dx, tokens_gradient, positions_gradient));
}

}  // namespace sweep

#else

void embed(const Ids& ids, std::int64_t width, const float* tokens_table,
           const float* positions_table, float* x) {
  for (std::int64_t i = 0; i < ids.tokens; ++i) {
    const float* token = tokens_table + ids.ids[i] * width;
    const float* position = positions_table + i % ids.length * width;
    for (std::int64_t j = 0; j < width; ++j) x[i * width + j] = token[j] + position[j];
  }
}

void embed_backward(const Ids& ids, std::int64_t width, const float* dx, float* tokens_gradient,
                    float* positions_gradient) {
  for (std::int64_t i = 0; i < ids.tokens; ++i) {
    float* token = tokens_gradient + ids.ids[i] * width;
    float* position = positions_gradient + i % ids.length * width;
    for (std::int64_t j = 0; j < width; ++j) {
      token[j] += dx[i * width + j];
      position[j] += dx[i * width + j];
    }
  }
}

#endif
