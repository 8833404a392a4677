#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/measured.h"
#include "sweep/analysis/losses.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string loss_words(double loss) { return fmt::format("{:.3f}", loss); }

Measured point(double value, std::string shown, std::vector<std::string> runs) {
  return {Interval{value, value}, std::move(shown), "", "", std::move(runs)};
}

Measured unknown(std::string shown, std::string why, std::string settle,
                 std::vector<std::string> runs = {}) {
  return {std::nullopt, std::move(shown), std::move(why), std::move(settle), std::move(runs)};
}

Measured not_planned(const Question& question, const std::string& arm) {
  const std::string where = to_words(question.stratum);
  return unknown("–",
                 fmt::format("{} was not planned{}{}", arm, where.empty() ? "" : " at ", where),
                 "plan it in every arm");
}

Measured undefined(const Undefined& why) {
  return unknown("?", why.reason, why.runs.empty() ? "" : "finish the runs that are missing",
                 why.runs);
}

/// The finding of the question's seed; nullptr when there is none.
template <typename T>
const T* of_seed(const std::vector<std::pair<std::uint64_t, T>>& per_seed, std::uint64_t seed) {
  for (const auto& [own, value] : per_seed) {
    if (own == seed) return &value;
  }
  return nullptr;
}

/// The ids of a curve's runs of one seed.
std::vector<std::string> runs_of(const Curve& curve, std::uint64_t seed) {
  std::vector<std::string> ids;
  for (const Cell& cell : curve.cells) {
    if (const CellRun* run = find_run(cell, seed)) ids.push_back(run->id);
  }
  return ids;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool in_range(const Question& question, double x) {
  if (question.criterion.range.empty()) return true;
  const auto* range = find_range(question.prereg.definitions, question.criterion.range);
  return range != nullptr && x >= range->low && x <= range->high;
}

Measured no_level(const Question& question) {
  return unknown("–", fmt::format("no level of the grid lies in {}", question.criterion.range),
                 "a grid with levels there");
}

// --- max_stable_lr -------------------------------------------------------------------------------

Measured stable(const Question& question, const StableLr& finding, std::vector<std::string> runs) {
  const auto words = [&](double x) { return level_text(question.analysis.axis, x); };
  switch (finding.kind) {
    case StableLr::Kind::kInterval:
      return {Interval{*finding.lower, *finding.upper},
              fmt::format("[{}, {})", words(*finding.lower), words(*finding.upper)), "", "",
              std::move(runs)};
    case StableLr::Kind::kRightCensored:
      return {Interval{*finding.lower, kInfinity}, "≥ " + words(*finding.lower), "", "",
              std::move(runs)};
    case StableLr::Kind::kNone:
      break;
  }
  return unknown("none", "the arm's best level is itself a failure",
                 "levels at which the arm trains", std::move(runs));
}

Measured max_stable(const Question& question, const std::string& arm) {
  const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
  const auto* finding =
      curve != nullptr ? of_seed(curve->max_stable.per_seed, question.seed) : nullptr;
  if (finding == nullptr) return not_planned(question, arm);
  if (const auto* why = std::get_if<Undefined>(finding)) return undefined(*why);
  return stable(question, std::get<StableLr>(*finding), runs_of(curve->curve, question.seed));
}

// --- lr_sensitivity ------------------------------------------------------------------------------

std::vector<double> levels_of(const Curve& curve) {
  std::vector<double> levels;
  for (const Cell& cell : curve.cells) levels.push_back(cell.x);
  return levels;
}

/// An average over levels says something beside another one only when it is over the same levels.
bool levels_are_shared(const Question& question, const CurveAnalysis& curve) {
  for (const std::string& arm : {question.criterion.arm, question.criterion.than}) {
    const CurveAnalysis* other = find_curve(question.analysis, arm, question.stratum);
    if (other != nullptr && levels_of(other->curve) != levels_of(curve.curve)) return false;
  }
  return true;
}

Measured sensitivity(const Question& question, const std::string& arm) {
  const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
  const auto* finding =
      curve != nullptr ? of_seed(curve->sensitivity.per_seed, question.seed) : nullptr;
  if (finding == nullptr) return not_planned(question, arm);
  if (const auto* why = std::get_if<Undefined>(finding)) return undefined(*why);
  const auto& sensitivity = std::get<LrSensitivity>(*finding);
  auto runs = runs_of(curve->curve, question.seed);
  // An arm that is at chance everywhere has a flat curve, too: the lowest of all sensitivities.
  if (sensitivity.never_trained) {
    return unknown("never trained", arm + " ended nowhere below its initial loss",
                   "levels at which the arm trains", std::move(runs));
  }
  if (!levels_are_shared(question, *curve)) {
    return unknown(loss_words(sensitivity.value), "the arms were not planned at the same levels",
                   "every level in both arms", std::move(runs));
  }
  return point(sensitivity.value, loss_words(sensitivity.value), std::move(runs));
}

// --- necessity_lr --------------------------------------------------------------------------------

Measured necessary(const Question& question, const NecessityLr& finding,
                   std::vector<std::string> runs) {
  const auto words = [&](double x) { return level_text(question.analysis.axis, x); };
  switch (finding.kind) {
    case NecessityLr::Kind::kInterval:  // ratios and ranks use the upper end
      return point(*finding.upper,
                   fmt::format("({}, {}]", words(*finding.lower), words(*finding.upper)),
                   std::move(runs));
    case NecessityLr::Kind::kLeftCensored:
      return {Interval{0, *finding.upper}, "≤ " + words(*finding.upper), "", "", std::move(runs)};
    case NecessityLr::Kind::kRightCensored:
      if (finding.non_monotone) {  // an isolated level decides nothing
        return unknown("not persistent", "needed at some levels, but not from one of them on",
                       "more seeds, or levels around those where the control recovers",
                       std::move(runs));
      }
      return {Interval{*finding.lower, kInfinity}, "> " + words(*finding.lower), "", "",
              std::move(runs)};
    case NecessityLr::Kind::kNoWindow:
      break;
  }
  return unknown("no window", "the treatment fails wherever the control does",
                 "levels at which only the control fails: a denser grid", std::move(runs));
}

Measured necessity(const Question& question, const std::string& arm) {
  const auto& arms = question.analysis.arms;
  const std::string treatment = !arm.empty() ? arm : arms.size() > 1 ? arms[1] : "";
  const Necessity* found = find_necessity(question.analysis, treatment, question.stratum);
  const auto* finding = found != nullptr ? of_seed(found->per_seed, question.seed) : nullptr;
  if (finding == nullptr) return not_planned(question, treatment);
  if (const auto* why = std::get_if<Undefined>(finding)) return undefined(*why);
  std::vector<std::string> runs;
  for (const std::string& side : {found->control, treatment}) {
    const CurveAnalysis* curve = find_curve(question.analysis, side, question.stratum);
    runs = joined(std::move(runs), runs_of(curve->curve, question.seed));
  }
  return necessary(question, std::get<NecessityLr>(*finding), std::move(runs));
}

// --- gap -----------------------------------------------------------------------------------------

/// The runs of a pair at one level.
std::vector<std::string> pair_runs(const Question& question, const GapCurve& gap, double x) {
  std::vector<std::string> ids;
  for (const std::string& arm : {gap.minuend, gap.subtrahend}) {
    const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
    const Cell* cell = find_cell(curve->curve, x);
    const CellRun* run = cell != nullptr ? find_run(*cell, question.seed) : nullptr;
    if (run != nullptr) ids.push_back(run->id);
  }
  return ids;
}

Measured mean_gap(const Question& question, const GapCurve& gap, const RangeGap& values) {
  std::vector<std::string> runs;
  for (const double x : values.levels) runs = joined(std::move(runs), pair_runs(question, gap, x));
  return point(values.mean, fmt::format("{:+.3f}", values.mean), std::move(runs));
}

/// Whether the seed's whole curve stayed at its initial loss.
bool never_trained(const Question& question, const std::string& arm) {
  const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
  const auto* finding =
      curve != nullptr ? of_seed(curve->sensitivity.per_seed, question.seed) : nullptr;
  const auto* value = finding != nullptr ? value_of(*finding) : nullptr;
  return value != nullptr && value->never_trained;
}

std::vector<Measured> gap(const Question& question) {
  const GapCurve* curve = find_gap(question.analysis, question.stratum);
  if (curve == nullptr) return {not_planned(question, "the pair of arms")};
  // Two curves at chance differ by nothing, which says nothing.
  if (never_trained(question, curve->minuend) && never_trained(question, curve->subtrahend)) {
    return {unknown("never trained", "neither arm ended anywhere below its initial loss",
                    "levels at which the arms train")};
  }
  const auto* range = find_range(question.prereg.definitions, question.criterion.range);
  const auto finding = gap_in(*curve, question.seed, range != nullptr ? range->low : 0,
                              range != nullptr ? range->high : kInfinity);
  if (const auto* why = std::get_if<Undefined>(&finding)) return {undefined(*why)};
  const auto& values = std::get<RangeGap>(finding);
  const auto& definition = question.prereg.definitions.gap;
  if (!definition || definition->average != "none") return {mean_gap(question, *curve, values)};
  std::vector<Measured> each;
  for (std::size_t i = 0; i < values.levels.size(); ++i) {
    each.push_back(point(values.values[i],
                         fmt::format("{:+.3f} at {}", values.values[i],
                                     level_text(question.analysis.axis, values.levels[i])),
                         pair_runs(question, *curve, values.levels[i])));
  }
  return each;
}

// --- final_val_loss ------------------------------------------------------------------------------

/// The cells a criterion means: the arm's best one, or those in its range.
std::vector<const Cell*> cells_meant(const Question& question, const CurveAnalysis& curve) {
  std::vector<const Cell*> cells;
  if (question.criterion.at == "arm_best_lr") {
    if (curve.best) cells.push_back(&curve.curve.cells[curve.best->index]);
    return cells;
  }
  for (const Cell& cell : curve.curve.cells) {
    if (in_range(question, cell.x)) cells.push_back(&cell);
  }
  return cells;
}

Measured mean_loss(const Question& question, const std::string& arm) {
  const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
  if (curve == nullptr) return not_planned(question, arm);
  const auto cells = cells_meant(question, *curve);
  double sum = 0;
  std::vector<std::string> runs;
  for (const Cell* cell : cells) {
    const CellRun* run = find_run(*cell, question.seed);
    const auto loss = bounded_loss(run);
    if (const auto* why = std::get_if<Undefined>(&loss)) return undefined(*why);
    sum += std::get<double>(loss);
    runs.push_back(run->id);
  }
  if (cells.empty()) return no_level(question);
  const double mean = sum / static_cast<double>(cells.size());
  return point(mean, loss_words(mean), std::move(runs));
}

// --- convergence ---------------------------------------------------------------------------------

Measured steps(const Finding<StepsToLoss>& finding, std::vector<std::string> runs) {
  if (const auto* why = std::get_if<Undefined>(&finding)) return undefined(*why);
  const auto& value = std::get<StepsToLoss>(finding);
  if (value.steps) return point(*value.steps, fmt::format("{:.0f}", *value.steps), std::move(runs));
  return {Interval{value.horizon, kInfinity}, fmt::format("> {:.0f}", value.horizon), "",
          "more updates per run, or a loss that is reached", std::move(runs)};
}

std::vector<Measured> convergence(const Question& question, const std::string& arm) {
  const ConvergenceCurve* found = find_convergence(question.analysis, arm, question.stratum);
  const CurveAnalysis* curve = find_curve(question.analysis, arm, question.stratum);
  if (found == nullptr || curve == nullptr) return {not_planned(question, arm)};
  std::vector<Measured> values;
  for (const Cell* cell : cells_meant(question, *curve)) {
    for (const auto& level : found->points) {
      const auto* finding = level.x == cell->x ? of_seed(level.per_seed, question.seed) : nullptr;
      if (finding == nullptr) continue;
      values.push_back(steps(*finding, {find_run(*cell, question.seed)->id}));
    }
  }
  if (values.empty()) values.push_back(no_level(question));
  return values;
}

}  // namespace

std::vector<Measured> measure(const Question& question, const std::string& arm) {
  const std::string& quantity = question.criterion.quantity;
  if (quantity == "max_stable_lr") return {max_stable(question, arm)};
  if (quantity == "lr_sensitivity") return {sensitivity(question, arm)};
  if (quantity == "necessity_lr") return {necessity(question, arm)};
  if (quantity == "final_val_loss") return {mean_loss(question, arm)};
  if (quantity == "convergence") return convergence(question, arm);
  return gap(question);
}

double next_half_decade(double x) {
  const double decade = std::pow(10.0, std::floor(std::log10(x) + 1e-9));
  // Through its digits: 3e-2 and not the product's last bits.
  return *parse_number(fmt::format("{:.0e}", x < 2.999 * decade ? 3 * decade : 10 * decade));
}

}  // namespace sweep
