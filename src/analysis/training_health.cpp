#include "sweep/analysis/training_health.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sweep {
namespace {

constexpr std::size_t kSpikeWindow = 201;  // lines
constexpr double kSpikeHeight = 0.1;       // nats

/// The latest values in their order of size: the median of a window that moves on by one.
class RollingMedian {
 public:
  explicit RollingMedian(std::size_t window) : window_(window) {}

  void add(double value) {
    if (latest_.size() == window_) {
      sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), latest_[next_]));
      latest_[next_] = value;
      next_ = (next_ + 1) % window_;
    } else {
      latest_.push_back(value);
    }
    sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), value), value);
  }

  [[nodiscard]] double value() const {
    const std::size_t n = sorted_.size();
    return (sorted_[(n - 1) / 2] + sorted_[n / 2]) / 2;
  }

 private:
  std::size_t window_;
  std::size_t next_ = 0;
  std::vector<double> latest_;
  std::vector<double> sorted_;
};

TrainingHealth health_of(const CellRun& run, const RunSeries& series, const RunResult& result) {
  TrainingHealth health;
  health.id = run.id;
  health.seed = run.seed;
  std::vector<double> norms;
  std::vector<double> losses;
  for (const RunSeries::UpdateLine& line : series.updates) {
    norms.push_back(line.grad_norm);
    losses.push_back(line.train_loss);
  }
  health.grad_norm_p50 = quantile(norms, 0.5);
  health.grad_norm_p99_9 = quantile(norms, 0.999);
  const auto updates = static_cast<double>(std::max<std::int64_t>(result.outcome.step, 1));
  health.clip_share = static_cast<double>(result.clip_count) / updates;
  health.lines = losses.size();
  health.spikes = loss_spikes(losses, kSpikeWindow, kSpikeHeight);
  health.spikes_per_10k =
      1e4 * static_cast<double>(health.spikes) / static_cast<double>(health.lines);
  return health;
}

}  // namespace

std::optional<double> quantile(std::vector<double> values, double q) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::nullopt;
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  const double low = *nth;
  const double share = place - static_cast<double>(below);
  if (share == 0) return low;
  const double high = *std::min_element(nth + 1, values.end());
  return high == low ? low : low + share * (high - low);
}

std::size_t loss_spikes(std::span<const double> losses, std::size_t window, double by) {
  RollingMedian median(window);
  std::size_t spikes = 0;
  for (const double loss : losses) {
    if (!std::isfinite(loss)) {
      ++spikes;
      continue;
    }
    median.add(loss);
    if (loss > median.value() + by) ++spikes;
  }
  return spikes;
}

std::vector<CellHealth> training_health(const std::vector<Curve>& curves,
                                        const std::vector<RunRecord>& records,
                                        std::span<const RunSeries> series) {
  std::map<std::string, const RunResult*> results;
  for (const RunRecord& record : records) {
    if (record.result) results[record.spec.id] = &*record.result;
  }
  std::map<std::string, const RunSeries*> by_id;
  for (const RunSeries& one : series) by_id[one.id] = &one;
  std::vector<CellHealth> cells;
  for (const Curve& curve : curves) {
    for (const Cell& cell : curve.cells) {
      CellHealth health{curve.arm, curve.stratum, cell.x, {}};
      for (const CellRun& run : cell.runs) {
        const auto own = by_id.find(run.id);
        const auto result = results.find(run.id);
        if (own == by_id.end() || result == results.end()) continue;
        if (own->second->updates.empty()) continue;
        health.runs.push_back(health_of(run, *own->second, *result->second));
      }
      if (!health.runs.empty()) cells.push_back(std::move(health));
    }
  }
  return cells;
}

}  // namespace sweep
