#include "gpt/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sweep {
namespace {

double floor_of(const TrainConfig& config) {
  return config.min_lr > 0 ? config.min_lr : config.min_lr_ratio * config.learning_rate;
}

double cosine(const TrainConfig& config, std::int64_t iter) {
  const double done = static_cast<double>(iter - config.warmup_iters) /
                      static_cast<double>(config.max_iters - config.warmup_iters);
  const double share = 0.5 * (1 + std::cos(std::numbers::pi * done));
  return floor_of(config) + share * (config.learning_rate - floor_of(config));
}

}  // namespace

double learning_rate_at(const TrainConfig& config, std::int64_t iter) {
  if (iter < config.warmup_iters) {
    return config.learning_rate * static_cast<double>(iter + 1) /
           static_cast<double>(config.warmup_iters + 1);
  }
  if (config.schedule == Schedule::kConstant) return config.learning_rate;
  return iter < config.max_iters ? cosine(config, iter) : floor_of(config);
}

std::int64_t next_measured_step(const Config& config, std::int64_t step) {
  const std::int64_t interval = config.measure.eval_interval;
  std::int64_t next = std::min((step / interval + 1) * interval, config.train.max_iters);
  if (config.measure.mechanism.empty()) return next;
  for (const std::int64_t measured : config.measure.mechanism_iters) {
    if (measured > step) next = std::min(next, measured);
  }
  return next;
}

}  // namespace sweep
