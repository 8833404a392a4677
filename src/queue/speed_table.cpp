#include "queue/speed_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "queue/pace.h"

namespace sweep {

SpeedTable::Size SpeedTable::size_of(const RunSpec& spec) {
  const ModelConfig& model = spec.config.model;
  const std::int64_t vocab = model.vocab_size > 0 ? model.vocab_size : spec.data.vocab_size;
  return {model.n_layer,    model.n_embd, model.n_head,
          model.block_size, vocab,        spec.config.train.batch_size};
}

/// Floating-point operations, forward and backward: 6 per weight of the matrices (12 d^2 a layer
/// and the head) and 12 L d T for attention (Chowdhery et al. 2022, "PaLM", appendix B).
double SpeedTable::work_per_token(const Size& size) {
  const auto layers = static_cast<double>(size.n_layer);
  const auto width = static_cast<double>(size.n_embd);
  const auto weights = 12 * layers * width * width + static_cast<double>(size.vocab_size) * width;
  return 6 * weights + 12 * layers * width * static_cast<double>(size.block_size);
}

std::size_t SpeedTable::known(const RunSpec& spec) const {
  const auto found = speeds_.find(size_of(spec));
  return found == speeds_.end() ? 0 : found->second.by_run.size();
}

void SpeedTable::note(const RunSpec& spec, double tokens_per_s) {
  if (!std::isfinite(tokens_per_s) || tokens_per_s <= 0) return;
  Speeds& speeds = speeds_[size_of(spec)];
  double& mine = speeds.by_run[spec.id];
  speeds.sum += tokens_per_s - mine;
  mine = tokens_per_s;
}

std::optional<double> SpeedTable::speed_of(const Size& size) const {
  if (const auto found = speeds_.find(size); found != speeds_.end()) return found->second.mean();
  const double work = work_per_token(size);
  std::optional<double> speed;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [other, speeds] : speeds_) {
    const double ratio = work_per_token(other) / work;
    if (std::abs(std::log(ratio)) >= nearest) continue;
    nearest = std::abs(std::log(ratio));
    speed = speeds.mean() * ratio;
  }
  return speed;
}

std::optional<double> SpeedTable::seconds_for(const RunSpec& spec, std::int64_t steps) const {
  const auto speed = speed_of(size_of(spec));
  if (!speed) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, steps) * tokens_per_step(spec)) / *speed;
}

std::optional<double> SpeedTable::seconds_left(const RunSpec& spec, std::int64_t step) const {
  return seconds_for(spec, spec.config.train.max_iters - step);
}

void learn_speed(SpeedTable& speeds, const RunSpec& spec, const RunDir& run) {
  constexpr std::size_t kEnough = 3;
  if (speeds.known(spec) >= kEnough) return;
  const auto pace = read_pace(run.timing(), tokens_per_step(spec));
  if (pace && pace->tokens_per_s) speeds.note(spec, *pace->tokens_per_s);
}

ActiveRun TimeLeft::add_active(const RunSpec& spec, std::int64_t step,
                               std::optional<double> tokens_per_s) {
  ActiveRun run{spec.id, "", step, spec.config.train.max_iters, tokens_per_s, std::nullopt};
  run.left_s = speeds_.seconds_left(spec, step);
  if (tokens_per_s) {
    const std::int64_t tokens = (run.max_iters - step) * tokens_per_step(spec);
    run.left_s = static_cast<double>(tokens) / *tokens_per_s;
  }
  ++workers_;
  longest_active_s_ = std::max(longest_active_s_, run.left_s.value_or(0));
  add(run.left_s);
  return run;
}

void TimeLeft::add_waiting(const RunSpec& spec, std::int64_t step) {
  add(speeds_.seconds_left(spec, step));
}

void TimeLeft::add(const std::optional<double>& seconds) {
  sum_s_ += seconds.value_or(0);
  unknown_ = unknown_ || !seconds;
}

std::optional<double> TimeLeft::total_s() const {
  if (unknown_ || sum_s_ == 0) return std::nullopt;
  const auto sharers = static_cast<double>(std::max<std::size_t>(1, workers_));
  return std::max(longest_active_s_, sum_s_ / sharers);
}

}  // namespace sweep
