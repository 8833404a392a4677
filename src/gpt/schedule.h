#pragma once

#include <cstdint>

#include "sweep/prereg/config.h"

namespace sweep {

/// Learning rate of update `iter` (0-based), nanoGPT's get_lr with lr_decay_iters = max_iters:
/// linear warm-up lr*(iter+1)/(W+1), then cosine to the floor (ratio or absolute), or constant.
double learning_rate_at(const TrainConfig& config, std::int64_t iter);

/// The first step after `step` whose weights are wanted: evaluated, measured, or the last ones.
std::int64_t next_measured_step(const Config& config, std::int64_t step);

}  // namespace sweep
