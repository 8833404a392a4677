#pragma once

#include <array>
#include <chrono>

namespace sweep {

/// What a step spends its time on.
enum class Part {
  kProducts,
  kAttention,
  kNorms,
  kGelu,
  kCrossEntropy,
  kPacking,
  kRest,
  kOptimizer,
  kMeasuring
};
inline constexpr std::array<const char*, 9> kPartNames = {"products", "attention",     "norms",
                                                          "gelu",     "cross_entropy", "packing",
                                                          "rest",     "optimizer",     "measuring"};

/// Seconds by part, added up since the last reset.
struct StepTimes {
  std::array<double, kPartNames.size()> seconds{};
};

/// Adds its own lifetime to a part; to nothing where `times` is null.
class Timed {
 public:
  Timed(StepTimes* times, Part part)
      : times_(times), part_(part), began_(times == nullptr ? Time{} : Clock::now()) {}
  ~Timed() {
    if (times_ == nullptr) return;
    times_->seconds.at(static_cast<std::size_t>(part_)) +=
        std::chrono::duration<double>(Clock::now() - began_).count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  StepTimes* times_;
  Part part_;
  Time began_;
};

}  // namespace sweep
