#pragma once

#include <cstdint>

#include "sweep/prereg/config.h"

namespace sweep {

/// Learning rate of update `iter` (0-based), nanoGPT's get_lr with lr_decay_iters = max_iters:
/// linear warm-up lr*(iter+1)/(W+1), then cosine to the floor (ratio or absolute), or constant.
double learning_rate_at(const TrainConfig& config, std::int64_t iter);

}  // namespace sweep
