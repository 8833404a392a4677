#include "sweep/analysis/gap.h"

#include <algorithm>

#include "sweep/analysis/losses.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

Finding<double> difference(const CellRun* minuend, const CellRun* subtrahend) {
  const auto a = bounded_loss(minuend);
  const auto b = bounded_loss(subtrahend);
  const double* left = value_of(a);
  const double* right = value_of(b);
  if (left != nullptr && right != nullptr) return *left - *right;
  Undefined why = std::get<Undefined>(left == nullptr ? a : b);
  if (left == nullptr && right == nullptr) {
    const auto& more = std::get<Undefined>(b).runs;
    why.runs.insert(why.runs.end(), more.begin(), more.end());
  }
  return why;
}

/// Undefined when one value is, with every run to blame.
Finding<Spread> spread_over(const std::vector<std::pair<std::uint64_t, Finding<double>>>& values) {
  std::vector<double> known;
  Undefined undefined;
  for (const auto& [seed, finding] : values) {
    if (const double* value = value_of(finding)) {
      known.push_back(*value);
      continue;
    }
    const auto& why = std::get<Undefined>(finding);
    undefined.reason = why.reason;
    undefined.runs.insert(undefined.runs.end(), why.runs.begin(), why.runs.end());
  }
  if (!undefined.reason.empty() || known.empty()) return undefined;
  return spread_of(known);
}

GapPoint gap_point(const Cell& minuend, const Cell& subtrahend) {
  GapPoint point;
  point.x = minuend.x;
  for (const CellRun& run : minuend.runs) {
    point.per_seed.emplace_back(run.seed, difference(&run, find_run(subtrahend, run.seed)));
  }
  point.over_seeds = spread_over(point.per_seed);
  return point;
}

}  // namespace

Finding<double> bounded_loss(const CellRun* run) {
  if (run == nullptr) return Undefined{"not planned in both arms", {}};
  if (!run->losses) return Undefined{"a run is missing", {run->id}};
  if (!run->losses->initial_loss) return Undefined{"the initial loss is not finite", {run->id}};
  const double cap = *run->losses->initial_loss;
  return std::min(run->losses->final_loss.value_or(cap), cap);
}

GapCurve gap_curve(const Curve& minuend, const Curve& subtrahend) {
  GapCurve curve{minuend.arm, subtrahend.arm, minuend.stratum, {}};
  for (const Cell& cell : minuend.cells) {
    const Cell* other = find_cell(subtrahend, cell.x);
    if (other != nullptr) curve.points.push_back(gap_point(cell, *other));
  }
  return curve;
}

Finding<RangeGap> gap_in(const GapCurve& curve, std::uint64_t seed, double low, double high) {
  RangeGap gap;
  Undefined missing;
  for (const GapPoint& point : curve.points) {
    if (point.x < low || point.x > high) continue;
    for (const auto& [own, finding] : point.per_seed) {
      if (own != seed) continue;
      if (const double* value = value_of(finding)) {
        gap.levels.push_back(point.x);
        gap.values.push_back(*value);
        gap.mean += *value;
        continue;
      }
      const auto& why = std::get<Undefined>(finding);
      missing.reason = why.reason;
      missing.runs.insert(missing.runs.end(), why.runs.begin(), why.runs.end());
    }
  }
  if (!missing.reason.empty()) return missing;
  if (gap.values.empty()) return Undefined{"no pair in the range", {}};
  gap.mean /= static_cast<double>(gap.values.size());
  return gap;
}

}  // namespace sweep
