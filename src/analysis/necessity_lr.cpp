#include "sweep/analysis/necessity_lr.h"

#include <algorithm>
#include <cmath>

#include "analysis/kleene.h"
#include "sweep/analysis/gap.h"
#include "sweep/analysis/losses.h"

namespace sweep {
namespace {

/// What a level says: the treatment is needed, is not, or cannot help there.
enum class State { kNeeded, kNotNeeded, kNoHelp, kUnknown };

State state_of(const NecessityPoint& point) {
  if (point.treatment_usable == false) return State::kNoHelp;
  if (!point.treatment_usable || !point.control_fails) return State::kUnknown;
  return *point.control_fails ? State::kNeeded : State::kNotNeeded;
}

Undefined undecided(const std::vector<NecessityPoint>& points, std::size_t from) {
  Undefined why{"a run is missing or unjudged", {}};
  for (std::size_t i = from; i < points.size(); ++i) {
    if (state_of(points[i]) != State::kUnknown) continue;
    why.runs.insert(why.runs.end(), points[i].unknown.begin(), points[i].unknown.end());
  }
  return why;
}

/// An unknown level that can only be "not needed" or "no help" starts no claim.
bool may_be_needed(const NecessityPoint& point) { return point.control_fails != false; }

/// Nor does one at which the control fails contradict a claim from below.
bool may_contradict(const NecessityPoint& point) { return point.control_fails != true; }

/// Needed somewhere and not needed above it.
bool non_monotone(const std::vector<NecessityPoint>& points, std::size_t best) {
  bool needed = false;
  for (std::size_t i = best; i < points.size(); ++i) {
    const State state = state_of(points[i]);
    if (needed && state == State::kNotNeeded) return true;
    needed |= state == State::kNeeded;
  }
  return false;
}

/// From where on nothing contradicts that the treatment is needed.
std::size_t start_of_claim(const std::vector<NecessityPoint>& points, std::size_t best,
                           bool persistent) {
  if (!persistent) return best;
  std::size_t start = points.size();
  while (start > best && state_of(points[start - 1]) != State::kNotNeeded) --start;
  return start;
}

/// Needed already at the control's best level: how much lower it begins the scan cannot say.
NecessityLr found_at(const std::vector<NecessityPoint>& points, std::size_t i, std::size_t best) {
  NecessityLr result;
  result.kind = i == best ? NecessityLr::Kind::kLeftCensored : NecessityLr::Kind::kInterval;
  if (i > best) result.lower = points[i - 1].x;
  result.upper = points[i].x;
  return result;
}

NecessityLr never_needed(double top) {
  NecessityLr result;
  result.kind = NecessityLr::Kind::kRightCensored;
  result.lower = top;
  return result;
}

/// Not needed anywhere: because the control never fails, or because the treatment fails with it.
Finding<NecessityLr> not_found(const std::vector<NecessityPoint>& points, std::size_t best) {
  Truth fails = false;
  Undefined why{"a run is missing or unjudged", {}};
  for (std::size_t i = best; i < points.size(); ++i) {
    fails = kleene_or(fails, points[i].control_fails);
    if (points[i].control_fails) continue;
    why.runs.insert(why.runs.end(), points[i].unknown.begin(), points[i].unknown.end());
  }
  if (!fails) return why;
  if (fails == false) return never_needed(points.back().x);
  NecessityLr result;
  result.kind = NecessityLr::Kind::kNoWindow;
  return result;
}

/// One side of a point: whether these runs are all usable.
Truth usable_runs(const std::vector<const CellRun*>& runs, bool strict,
                  std::vector<std::string>& unknown) {
  Truth all = true;
  for (const CellRun* run : runs) {
    if (run == nullptr) return std::nullopt;
    const Truth usable = kleene_not(strict ? run->judgement.diverged : run->judgement.unusable);
    if (!usable) unknown.push_back(run->id);
    all = kleene_and(all, usable);
  }
  return all;
}

Truth worse_by(const std::vector<const CellRun*>& control,
               const std::vector<const CellRun*>& treatment, double margin,
               std::vector<std::string>& unknown) {
  double sum = 0;
  for (std::size_t i = 0; i < control.size(); ++i) {
    const auto a = bounded_loss(control[i]);
    const auto b = bounded_loss(treatment[i]);
    for (const auto* side : {&a, &b}) {
      const auto* why = std::get_if<Undefined>(side);
      if (why != nullptr) unknown.insert(unknown.end(), why->runs.begin(), why->runs.end());
    }
    if (value_of(a) == nullptr || value_of(b) == nullptr) return std::nullopt;
    sum += *value_of(a) - *value_of(b);
  }
  return sum / static_cast<double>(control.size()) > margin;
}

using Runs = std::vector<const CellRun*>;

NecessityPoint point_of(double x, const Runs& control, const Runs& treatment,
                        const Definitions::NecessityLr& definition) {
  NecessityPoint point;
  point.x = x;
  point.treatment_usable = usable_runs(treatment, false, point.unknown);
  point.control_fails =
      definition.control == "worse_by"
          ? worse_by(control, treatment, definition.worse_by, point.unknown)
          : kleene_not(usable_runs(control, definition.control == "diverged", point.unknown));
  return point;
}

/// The points of some seeds; those of a level that the treatment lacks are unknown.
std::vector<NecessityPoint> points_of(const Curve& control, const Curve& treatment,
                                      const std::vector<std::uint64_t>& seeds,
                                      const Definitions::NecessityLr& definition) {
  std::vector<NecessityPoint> points;
  for (const Cell& cell : control.cells) {
    const Cell* other = find_cell(treatment, cell.x);
    Runs left;
    Runs right;
    for (const std::uint64_t seed : seeds) {
      left.push_back(find_run(cell, seed));
      right.push_back(other != nullptr ? find_run(*other, seed) : nullptr);
    }
    points.push_back(point_of(cell.x, left, right, definition));
  }
  return points;
}

/// The first pair of levels, from the control's best on, between which the mean gap rises past
/// `gap`.
std::optional<double> crossing_of(const GapCurve& curve, double from, double gap) {
  const GapPoint* before = nullptr;
  for (const GapPoint& point : curve.points) {
    const Spread* spread = value_of(point.over_seeds);
    if (spread == nullptr || point.x < from) continue;
    const Spread* last = before != nullptr ? value_of(before->over_seeds) : nullptr;
    if (last != nullptr && last->mean <= gap && spread->mean > gap) {
      const double share = (gap - last->mean) / (spread->mean - last->mean);
      return before->x * std::pow(point.x / before->x, share);
    }
    before = &point;
  }
  return std::nullopt;
}

}  // namespace

Finding<NecessityLr> scan_necessity(const std::vector<NecessityPoint>& points, std::size_t best,
                                    bool persistent) {
  const std::size_t start = start_of_claim(points, best, persistent);
  const bool irregular = non_monotone(points, best);
  for (std::size_t i = start; i < points.size(); ++i) {
    const State state = state_of(points[i]);
    if (state == State::kUnknown && may_be_needed(points[i])) return undecided(points, i);
    if (state != State::kNeeded) continue;
    // Above it an unknown level could still be one at which the treatment is not needed.
    for (std::size_t j = i + 1; persistent && j < points.size(); ++j) {
      if (state_of(points[j]) != State::kUnknown || !may_contradict(points[j])) continue;
      return undecided(points, j);
    }
    NecessityLr result = found_at(points, i, best);
    result.non_monotone = irregular;
    return result;
  }
  if (irregular) {  // needed somewhere, but not to the top, whatever the unknown levels are
    NecessityLr result = never_needed(points.back().x);
    result.non_monotone = true;
    return result;
  }
  for (std::size_t i = best; i < start; ++i) {
    if (state_of(points[i]) == State::kUnknown && may_be_needed(points[i])) {
      return undecided(points, i);
    }
  }
  return not_found(points, best);
}

Necessity necessity_of(const Curve& control, const Curve& treatment,
                       const Definitions::NecessityLr& definition) {
  Necessity result;
  result.control = control.arm;
  result.treatment = treatment.arm;
  result.stratum = control.stratum;
  result.crossing_gap = definition.control == "worse_by" ? definition.worse_by : kCrossingGap;
  const auto best = best_cell(control);
  const auto scan = [&](const std::vector<std::uint64_t>& seeds) -> Finding<NecessityLr> {
    if (!best) return Undefined{"no complete cell: the control's best level is not known", {}};
    return scan_necessity(points_of(control, treatment, seeds, definition), best->index,
                          definition.persistent);
  };
  const auto seeds = seeds_of(control);
  for (const std::uint64_t seed : seeds) result.per_seed.emplace_back(seed, scan({seed}));
  result.all_seeds = scan(seeds);
  if (best) {
    result.crossing = crossing_of(gap_curve(control, treatment), best->x, result.crossing_gap);
  }
  return result;
}

}  // namespace sweep
