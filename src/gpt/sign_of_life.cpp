#include "gpt/sign_of_life.h"

#include "gpt/usage.h"
#include "sweep/base/json.h"
#include "sweep/base/process.h"

namespace sweep {
namespace {

constexpr double kLineEvery_s = 1;
constexpr double kRenewEvery_s = 3;

}  // namespace

SignOfLife::SignOfLife(const RunDir& run, Claim& claim, std::int64_t step, std::int64_t max_iters,
                       std::int64_t tokens_per_step)
    : timing_(run.timing()),
      claim_(claim),
      first_step_(step),
      max_iters_(max_iters),
      tokens_per_step_(tokens_per_step),
      training_since_s_(monotonic_s()),
      attempt_since_s_(training_since_s_ - process_age_s()),
      renewed_s_(training_since_s_) {
  write(step);
}

void SignOfLife::beat(std::int64_t step) {
  const double now_s = monotonic_s();
  if (now_s - renewed_s_ >= kRenewEvery_s) {
    claim_.renew();
    renewed_s_ = now_s;
  }
  if (now_s - written_s_ >= kLineEvery_s) write(step);
}

void SignOfLife::write(std::int64_t step) {
  written_s_ = monotonic_s();
  const double training_s = written_s_ - training_since_s_;
  const auto tokens = static_cast<double>((step - first_step_) * tokens_per_step_);
  const Json line = {{"step", step},
                     {"max_iters", max_iters_},
                     {"wall_s", written_s_ - attempt_since_s_},
                     {"tokens_per_s", training_s > 0 ? tokens / training_s : 0.0}};
  timing_.append(to_line(line));
}

}  // namespace sweep
