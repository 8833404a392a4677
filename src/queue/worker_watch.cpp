#include "queue/worker_watch.h"

#include <system_error>
#include <utility>

namespace sweep {
namespace {

std::uintmax_t length_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto length = std::filesystem::file_size(file, error);
  return error ? 0 : length;
}

}  // namespace

WorkerWatch::WorkerWatch(std::filesystem::path timing, double hang_s, double grace_s, double now_s)
    : timing_(std::move(timing)),
      hang_s_(hang_s),
      grace_s_(grace_s),
      length_(length_of(timing_)),
      last_sign_s_(now_s) {}

WorkerWatch::Verdict WorkerWatch::look(double now_s) {
  if (const auto length = length_of(timing_); length != length_ && !hung_) {
    length_ = length;
    last_sign_s_ = now_s;
  }
  const double silence_s = now_s - last_sign_s_;
  if (!hung_ && silence_s > hang_s_) {
    hung_ = true;
    return Verdict::kHung;
  }
  if (hung_ && !obstinate_ && silence_s > hang_s_ + grace_s_) {
    obstinate_ = true;
    return Verdict::kObstinate;
  }
  return Verdict::kFine;
}

}  // namespace sweep
