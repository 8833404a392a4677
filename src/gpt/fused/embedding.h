#pragma once

#include <cstdint>

namespace sweep {

/// The ids of whole sequences of `length` tokens.
struct Ids {
  const std::int64_t* ids;
  std::int64_t tokens;
  std::int64_t length;
};

/// x (tokens x width): row i = tokens_table[ids[i]] + positions_table[i % length].
void embed(const Ids& ids, std::int64_t width, const float* tokens_table,
           const float* positions_table, float* x);

/// Adds each row of dx to its two rows of the tables' gradients, in the order of the tokens.
void embed_backward(const Ids& ids, std::int64_t width, const float* dx, float* tokens_gradient,
                    float* positions_gradient);

}  // namespace sweep
