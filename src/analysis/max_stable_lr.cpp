#include "sweep/analysis/max_stable_lr.h"

#include "analysis/kleene.h"
#include "sweep/analysis/losses.h"

namespace sweep {
namespace {

std::optional<bool> usable(const CellRun& run, const std::string& failure) {
  return kleene_not(failure == "diverged" ? run.judgement.diverged : run.judgement.unusable);
}

ScanPoint point_of_seed(const Cell& cell, std::uint64_t seed, const std::string& failure) {
  const CellRun* run = find_run(cell, seed);
  if (run == nullptr) return {cell.x, std::nullopt, {}};
  ScanPoint point{cell.x, usable(*run, failure), {}};
  if (!point.usable) point.unknown.push_back(run->id);
  return point;
}

ScanPoint point_of_all(const Cell& cell, const std::string& failure) {
  ScanPoint point{cell.x, true, {}};
  for (const CellRun& run : cell.runs) {
    const auto one = usable(run, failure);
    point.usable = kleene_and(point.usable, one);
    if (!one) point.unknown.push_back(run.id);
  }
  return point;
}

/// Facts that hold whatever the walk finds.
StableLr described(const std::vector<ScanPoint>& points, std::size_t best) {
  StableLr result;
  bool failed = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].usable == true) result.unrestricted = points[i].x;
    if (i < best) continue;
    result.non_monotone |= failed && points[i].usable == true;
    failed |= points[i].usable == false;
  }
  return result;
}

Undefined undecided(const ScanPoint& point) {
  return {"a run is missing or unjudged", point.unknown};
}

StableLr bracketed(StableLr result, const std::vector<ScanPoint>& points, std::size_t last) {
  result.kind = StableLr::Kind::kRightCensored;
  result.lower = points[last].x;
  if (last + 1 < points.size()) {
    result.kind = StableLr::Kind::kInterval;
    result.upper = points[last + 1].x;
  }
  return result;
}

/// The scan proper; the first element that decides ends it.
std::optional<std::size_t> first_failure(const std::vector<ScanPoint>& points, std::size_t from) {
  for (std::size_t i = from; i < points.size(); ++i) {
    if (points[i].usable != true) return i;
  }
  return std::nullopt;
}

std::size_t last_usable(const std::vector<ScanPoint>& points) {
  std::size_t i = points.size() - 1;
  while (i > 0 && points[i].usable == false) --i;
  return i;
}

}  // namespace

Finding<StableLr> scan_upward(const std::vector<ScanPoint>& points, std::size_t best,
                              bool contiguous) {
  const StableLr facts = described(points, best);
  if (!points[best].usable) return undecided(points[best]);
  if (points[best].usable == false) return facts;
  if (!contiguous) {
    const std::size_t last = last_usable(points);
    if (!points[last].usable) return undecided(points[last]);
    return bracketed(facts, points, last);
  }
  const auto stop = first_failure(points, best);
  if (!stop) return bracketed(facts, points, points.size() - 1);
  if (!points[*stop].usable) return undecided(points[*stop]);
  return bracketed(facts, points, *stop - 1);
}

MaxStableLr max_stable_lr(const Curve& curve, const Definitions::MaxStableLr& definition) {
  const auto best = best_cell(curve);
  const auto scan = [&](const std::vector<ScanPoint>& points) -> Finding<StableLr> {
    if (!best) return Undefined{"no complete cell: the arm's best learning rate is not known", {}};
    return scan_upward(points, best->index, definition.contiguous);
  };
  MaxStableLr result;
  for (const std::uint64_t seed : seeds_of(curve)) {
    std::vector<ScanPoint> points;
    for (const Cell& cell : curve.cells) {
      points.push_back(point_of_seed(cell, seed, definition.failure));
    }
    result.per_seed.emplace_back(seed, scan(points));
  }
  std::vector<ScanPoint> points;
  for (const Cell& cell : curve.cells) points.push_back(point_of_all(cell, definition.failure));
  result.all_seeds = scan(points);
  return result;
}

}  // namespace sweep
