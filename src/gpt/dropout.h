#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

namespace sweep {

/// Which dropout masks a forward pass draws: those of (seed, update). Evaluation has none.
struct DropoutDraw {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

/// `x` with a share `p` of its entries zeroed and the rest scaled by 1/(1-p). The mask depends on
/// (seed, step, where) and the shape only. `x` itself when `draw` is null or `p` is 0.
at::Tensor dropout(const at::Tensor& x, double p, const DropoutDraw* draw,
                   const std::string& where);

}  // namespace sweep
