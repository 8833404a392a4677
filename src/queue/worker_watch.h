#pragma once

#include <cstdint>
#include <filesystem>

namespace sweep {

/// Tells a hung worker from a slow one: any change of the length of its timing.jsonl is a sign of
/// life. Times are seconds of a clock that never jumps.
class WorkerWatch {
 public:
  enum class Verdict {
    kFine,
    kHung,      ///< said once: silent for too long, ask it to stop
    kObstinate  ///< said once: was asked and has not ended, kill it
  };

  /// @param hang_s silence after which it counts as hung
  /// @param grace_s from then until it counts as obstinate
  WorkerWatch(std::filesystem::path timing, double hang_s, double grace_s, double now_s);

  Verdict look(double now_s);
  [[nodiscard]] bool hung() const { return hung_; }

 private:
  std::filesystem::path timing_;
  double hang_s_;
  double grace_s_;
  std::uintmax_t length_;
  double last_sign_s_;
  bool hung_ = false;
  bool obstinate_ = false;
};

}  // namespace sweep
