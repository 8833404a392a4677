#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"
#include "sweep/record/run_series.h"

namespace sweep {

/// Quantile q of [0, 1], linear between order statistics at place q (n - 1); nullopt without
/// values. Infinite values rank as such, NaN is left out.
std::optional<double> quantile(std::vector<double> values, double q);

/// Steps whose loss exceeds the median of the last `window` losses, its own included, by more than
/// `by` nats. A loss that is not finite is a spike and no part of any median.
std::size_t loss_spikes(std::span<const double> losses, std::size_t window, double by);

/// How smoothly one run trained, from its training lines.
struct TrainingHealth {
  std::string id;
  std::uint64_t seed = 0;
  std::optional<double> grad_norm_p50;    ///< global, before clipping
  std::optional<double> grad_norm_p99_9;  ///< 99.9 %
  double clip_share = 0;                  ///< of all updates
  std::size_t lines = 0;      ///< training lines, one per `measure.log_interval` updates
  std::size_t spikes = 0;     ///< 201 lines, .1 nats
  double spikes_per_10k = 0;  ///< lines
  bool operator==(const TrainingHealth&) const = default;
};

/// The finished runs of one cell, by seed.
struct CellHealth {
  std::string arm;
  Stratum stratum;
  double x = 0;
  std::vector<TrainingHealth> runs;
};

/// Cells in the order of `curves`; runs without training lines are left out, and so are cells
/// without such runs.
std::vector<CellHealth> training_health(const std::vector<Curve>& curves,
                                        const std::vector<RunRecord>& records,
                                        std::span<const RunSeries> series);

}  // namespace sweep
