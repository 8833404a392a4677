#include "sweep/analysis/losses.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "sweep/base/text.h"

namespace sweep {

std::optional<double> seed_mean(const Cell& cell) {
  double sum = 0;
  for (const CellRun& run : cell.runs) {
    if (!run.losses) return std::nullopt;
    sum += run.losses->final_loss.value_or(std::numeric_limits<double>::infinity());
  }
  return sum / static_cast<double>(cell.runs.size());
}

std::optional<BestCell> best_cell(const Curve& curve) {
  std::optional<BestCell> best;
  for (std::size_t i = 0; i < curve.cells.size(); ++i) {
    const auto mean = seed_mean(curve.cells[i]);
    if (mean && (!best || *mean < best->mean)) best = BestCell{i, curve.cells[i].x, *mean};
  }
  return best;
}

Finding<Spread> final_loss_of(const Cell& cell) {
  std::vector<double> finite;
  Undefined nonfinite;
  for (const CellRun& run : cell.runs) {
    if (!run.losses) continue;
    if (run.losses->final_loss) {
      finite.push_back(*run.losses->final_loss);
    } else {
      nonfinite.runs.push_back(run.id);
    }
  }
  if (!nonfinite.runs.empty()) {
    nonfinite.reason = fmt::format("{} of {} non-finite", nonfinite.runs.size(),
                                   count_of(nonfinite.runs.size() + finite.size(), "run"));
    return nonfinite;
  }
  if (finite.empty()) return Undefined{"no run finished", missing_runs(cell)};
  return spread_of(finite);
}

double perplexity(double mean_loss) { return std::exp(mean_loss); }

double bits_per_character(double loss, double chars_per_token) {
  return loss / (std::numbers::ln2 * chars_per_token);
}

}  // namespace sweep
