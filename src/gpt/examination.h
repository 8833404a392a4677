#pragma once

#include "sweep/base/json.h"

namespace sweep {

/// What `sweep doctor` asks of a trainer (docs/formats.md): LibTorch's version and matrix library,
/// the instruction set of the kernels, the speed of multiply-adds and of matrix products on one
/// thread in GFLOP/s, and the devices. Takes about a second; call `set_up_numerics` before.
Json examine();

}  // namespace sweep
