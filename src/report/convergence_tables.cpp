#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// "348", "> 600", "–".
std::pair<std::string, Json> steps_text(const Finding<StepsToLoss>& finding) {
  const auto* value = value_of(finding);
  if (value == nullptr) return {kNothing, nullptr};
  if (!value->steps) return {fmt::format("> {:.0f}", value->horizon), nullptr};
  return {fmt::format("{:.0f}", *value->steps), *value->steps};
}

TableCell seeds_cell(const ConvergenceCurve::Point& point) {
  std::vector<std::string> texts;
  Json values = Json::array();
  for (const auto& [seed, finding] : point.per_seed) {
    const auto [text, value] = steps_text(finding);
    texts.push_back(text);
    values.push_back(value);
  }
  return {join(texts, ", "), values};
}

const ConvergenceCurve::Point* find_point(const ConvergenceCurve& curve, double x) {
  for (const auto& point : curve.points) {
    if (point.x == x) return &point;
  }
  return nullptr;
}

/// The curves of one stratum, in the order of arms.
std::vector<const ConvergenceCurve*> curves_of(const Analysis& analysis, const Stratum& stratum) {
  std::vector<const ConvergenceCurve*> curves;
  for (const std::string& arm : analysis.arms) {
    if (const auto* curve = find_convergence(analysis, arm, stratum)) curves.push_back(curve);
  }
  return curves;
}

std::string target_text(const ConvergenceCurve& curve) {
  const double* target = value_of(curve.target);
  return target != nullptr ? fmt::format("{:.3f} nats", *target)
                           : "? (" + std::get<Undefined>(curve.target).reason + ")";
}

Table convergence_table(const Analysis& analysis, const Stratum& stratum,
                        const std::vector<const ConvergenceCurve*>& curves) {
  Table table;
  table.name = "convergence" + stratum_slug(stratum);
  table.title = fmt::format("Updates to a validation loss of {}{}", target_text(*curves.front()),
                            stratum_suffix(stratum));
  table.note =
      "The first evaluation at or below the loss that the next ones confirm, linear from the one "
      "before; each seed. >: not reached (right-censored). The last row compares each arm at its "
      "own best level. Depends on the schedule: only runs of equal length and warm-up compare.";
  table.columns = {{"x", axis_heading(analysis.axis), "", Align::kLeft}};
  for (const auto* curve : curves) {
    table.columns.push_back({curve->arm, curve->arm, "", Align::kLeft});
  }
  for (const auto& point : curves.front()->points) {
    std::vector<TableCell> row = {level_cell(analysis.axis, point.x)};
    for (const auto* curve : curves) {
      const auto* own = find_point(*curve, point.x);
      row.push_back(own != nullptr ? seeds_cell(*own) : empty_cell());
    }
    table.rows.push_back(std::move(row));
  }
  std::vector<TableCell> best = {word_cell("best")};
  for (const auto* curve : curves) {
    const CurveAnalysis* one = find_curve(analysis, curve->arm, stratum);
    const auto* point = one->best ? find_point(*curve, one->best->x) : nullptr;
    if (point == nullptr) {
      best.push_back(empty_cell());
      continue;
    }
    TableCell cell = seeds_cell(*point);
    cell.text += " at " + level_text(analysis.axis, point->x);
    best.push_back(std::move(cell));
  }
  table.rows.push_back(std::move(best));
  return table;
}

}  // namespace

std::vector<Table> convergence_tables(const Analysis& analysis) {
  std::vector<Table> tables;
  for (const Stratum& stratum : analysis.strata) {
    const auto curves = curves_of(analysis, stratum);
    if (!curves.empty()) tables.push_back(convergence_table(analysis, stratum, curves));
  }
  return tables;
}

}  // namespace sweep
