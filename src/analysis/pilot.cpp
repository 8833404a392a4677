#include "sweep/analysis/pilot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sweep {
namespace {

/// nullopt when a run went non-finite.
std::optional<Spread> spread_in(const PilotCell& cell) {
  std::vector<double> losses;
  for (const auto& loss : cell.final_losses) {
    if (!loss) return std::nullopt;
    losses.push_back(*loss);
  }
  return losses.empty() ? std::nullopt : std::optional(spread_of(losses));
}

std::optional<double> best_of(const std::vector<PilotBest>& best, const PilotCell& cell) {
  for (const PilotBest& one : best) {
    if (one.arm != cell.arm) continue;
    for (const auto& [stratum, loss] : one.by_stratum) {
      if (stratum.levels == cell.stratum) return loss;
    }
  }
  return std::nullopt;
}

void lower(PilotBest& best, const std::vector<Level>& stratum, double mean) {
  for (auto& [known, loss] : best.by_stratum) {
    if (known.levels != stratum) continue;
    loss = std::min(loss, mean);
    return;
  }
  best.by_stratum.emplace_back(Stratum{stratum}, mean);
}

}  // namespace

std::vector<PilotBest> pilot_best(const PilotFacts& facts) {
  std::vector<PilotBest> best;
  for (const PilotCell& cell : facts.cells) {
    const auto spread = spread_in(cell);
    if (!spread) continue;
    auto own = std::find_if(best.begin(), best.end(),
                            [&](const PilotBest& one) { return one.arm == cell.arm; });
    if (own == best.end()) own = best.insert(own, PilotBest{cell.arm, {}});
    lower(*own, cell.stratum, spread->mean);
  }
  return best;
}

std::optional<double> pilot_sd(const PilotFacts& facts, double delta) {
  const auto best = pilot_best(facts);
  double sum = 0;
  std::size_t cells = 0;
  for (const PilotCell& cell : facts.cells) {
    const auto spread = spread_in(cell);
    const auto lowest = best_of(best, cell);
    if (!spread || !spread->sd || !lowest || spread->mean > *lowest + delta) continue;
    sum += *spread->sd * *spread->sd;
    ++cells;
  }
  if (cells == 0) return std::nullopt;
  return std::sqrt(sum / static_cast<double>(cells));
}

}  // namespace sweep
