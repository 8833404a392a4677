#include "sweep/analysis/lr_sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sweep/analysis/losses.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::array kWortsmanPoints = {3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1};

double capped(const LossPoint& point) {
  return std::min(point.final_loss.value_or(point.initial_loss), point.initial_loss);
}

using Points = std::vector<LossPoint>;

/// The weight of each point in the average, by x ascending: 1, or its stretch of ln x.
std::vector<double> weights_of(const Points& points, Weights weights) {
  if (weights == Weights::kEqual || points.size() == 1) {
    return std::vector<double>(points.size(), 1);
  }
  std::vector<double> result(points.size(), 0);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double half = 0.5 * std::log(points[i].x / points[i - 1].x);
    result[i - 1] += half;
    result[i] += half;
  }
  return result;
}

bool same_rate(double a, double b) { return std::abs(a - b) <= 1e-9 * b; }

/// What one seed measured along a curve; undefined while a run is missing.
Finding<std::vector<LossPoint>> points_of(const Curve& curve, std::uint64_t seed) {
  std::vector<LossPoint> points;
  Undefined missing;
  for (const Cell& cell : curve.cells) {
    const CellRun* run = find_run(cell, seed);
    if (run == nullptr) return Undefined{"not planned at every level", {}};
    if (!run->losses) {
      missing.runs.push_back(run->id);
      continue;
    }
    if (!run->losses->initial_loss) return Undefined{"the initial loss is not finite", {run->id}};
    points.push_back({cell.x, run->losses->final_loss, *run->losses->initial_loss});
  }
  if (missing.runs.empty()) return points;
  missing.reason = count_of(missing.runs.size(), "run") + " missing";
  return missing;
}

Finding<LrSensitivity> applied(const SensitivityRule& rule, std::span<const LossPoint> points,
                               std::optional<double> split) {
  if (rule.points != "wortsman") return lr_sensitivity(points, rule.weights, split);
  const auto seven = wortsman_points(points);
  if (const auto* chosen = value_of(seven)) return lr_sensitivity(*chosen, rule.weights, split);
  return std::get<Undefined>(seven);
}

}  // namespace

Finding<LrSensitivity> lr_sensitivity(std::span<const LossPoint> points, Weights weights,
                                      std::optional<double> split) {
  if (points.empty()) return Undefined{"no points", {}};
  std::vector<LossPoint> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const LossPoint& a, const LossPoint& b) { return a.x < b.x; });
  if (weights == Weights::kLogTrapezoid && sorted.front().x <= 0) {
    return Undefined{"a level that is not positive has no logarithm", {}};
  }
  const auto best = std::min_element(
      sorted.begin(), sorted.end(),
      [](const LossPoint& a, const LossPoint& b) { return capped(a) < capped(b); });
  const bool trained = std::any_of(sorted.begin(), sorted.end(), [](const LossPoint& point) {
    return capped(point) < point.initial_loss;
  });
  const double l_star = capped(*best);
  LrSensitivity result{0, l_star, best->x, best->initial_loss, 0, 0, !trained};
  const auto weight = weights_of(sorted, weights);
  double total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    // Subtracting first makes a flat curve exactly zero.
    const double part = weight[i] * (capped(sorted[i]) - l_star);
    if (sorted[i].x < split.value_or(best->x)) result.below += part;
    if (sorted[i].x > split.value_or(best->x)) result.above += part;
    result.value += part;
    total += weight[i];
  }
  for (double* sum : {&result.value, &result.below, &result.above}) *sum /= total;
  return result;
}

Finding<std::vector<LossPoint>> wortsman_points(std::span<const LossPoint> points) {
  std::vector<LossPoint> chosen;
  for (const double rate : kWortsmanPoints) {
    const auto found = std::find_if(points.begin(), points.end(), [&](const LossPoint& point) {
      return same_rate(point.x, rate);
    });
    if (found == points.end()) {
      return Undefined{fmt::format("the grid lacks {}", format_lr(rate)), {}};
    }
    chosen.push_back(*found);
  }
  return chosen;
}

SensitivityRule registered_rule(const Definitions::LrSensitivity& definition) {
  return {definition.points,
          definition.weights == "log_trapezoid" ? Weights::kLogTrapezoid : Weights::kEqual};
}

CurveSensitivity curve_sensitivity(const Curve& curve, const SensitivityRule& rule) {
  CurveSensitivity result{rule, {}, Undefined{"no seeds", {}}};
  std::vector<double> values;
  Undefined undefined;
  const auto best = best_cell(curve);
  const auto split = best ? std::optional(best->x) : std::nullopt;
  for (const std::uint64_t seed : seeds_of(curve)) {
    const auto points = points_of(curve, seed);
    const auto* measured = value_of(points);
    const Finding<LrSensitivity> finding =
        measured != nullptr ? applied(rule, *measured, split) : std::get<Undefined>(points);
    if (const auto* value = value_of(finding)) {
      values.push_back(value->value);
    } else {
      const auto& why = std::get<Undefined>(finding);
      if (undefined.reason.empty()) undefined.reason = why.reason;
      undefined.runs.insert(undefined.runs.end(), why.runs.begin(), why.runs.end());
    }
    result.per_seed.emplace_back(seed, finding);
  }
  if (!undefined.reason.empty()) {
    result.over_seeds = undefined;
  } else if (!values.empty()) {
    result.over_seeds = spread_of(values);
  }
  return result;
}

}  // namespace sweep
