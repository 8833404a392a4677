#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sweep/prereg/run_spec.h"
#include "sweep/queue/progress.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// Measured training speed by model size: what the time left is predicted from.
class SpeedTable {
 public:
  /// How many runs of that size were measured.
  [[nodiscard]] std::size_t known(const RunSpec& spec) const;

  /// A run's speed; a later figure of the same run replaces the earlier one.
  void note(const RunSpec& spec, double tokens_per_s);

  /// Seconds for so many steps, from the mean speed of that size. A size that was not measured yet
  /// is scaled from the measured one nearest in work per token. nullopt: nothing was measured.
  [[nodiscard]] std::optional<double> seconds_for(const RunSpec& spec, std::int64_t steps) const;

  /// The same for what a run that has made `step` updates has left.
  [[nodiscard]] std::optional<double> seconds_left(const RunSpec& spec, std::int64_t step) const;

 private:
  struct Size {
    std::int64_t n_layer, n_embd, n_head, block_size, vocab_size, batch_size;
    auto operator<=>(const Size&) const = default;
  };
  struct Speeds {
    std::map<std::string, double> by_run;  ///< tokens per second
    double sum = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(by_run.size()); }
  };
  static Size size_of(const RunSpec& spec);
  static double work_per_token(const Size& size);
  [[nodiscard]] std::optional<double> speed_of(const Size& size) const;

  std::map<Size, Speeds> speeds_;
};

/// Notes the speed at which a run went, unless a few runs of its size are known already.
void learn_speed(SpeedTable& speeds, const RunSpec& spec, const RunDir& run);

/// Adds up how long a sweep still takes.
class TimeLeft {
 public:
  explicit TimeLeft(const SpeedTable& speeds) : speeds_(speeds) {}

  /// A run that a worker is at; its own speed, where measured, goes before that of its size. The
  /// host is left to the caller.
  ActiveRun add_active(const RunSpec& spec, std::int64_t step, std::optional<double> tokens_per_s);
  /// A run that is to be started, at `step`.
  void add_waiting(const RunSpec& spec, std::int64_t step);

  /// Of many such runs together; nullopt: unknown.
  void add_waiting(const std::optional<double>& seconds) { add(seconds); }

  /// The work left, shared by the workers that are active, but never less than the longest of them
  /// has left. nullopt: no speed was measured yet, or nothing is left.
  [[nodiscard]] std::optional<double> total_s() const;

 private:
  void add(const std::optional<double>& seconds);

  const SpeedTable& speeds_;
  std::size_t workers_ = 0;
  double sum_s_ = 0;
  double longest_active_s_ = 0;
  bool unknown_ = false;
};

}  // namespace sweep
