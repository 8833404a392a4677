#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "report/cell_text.h"
#include "report/mechanism_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// One quantity against the axis; its values are drawn between `low` and `high`.
struct Drawing {
  std::string slug;
  std::string quantity;
  std::string title;
  std::string y_label;
  double low;
  double high;
};

const std::array<Drawing, 2>& drawings() {
  static const std::array<Drawing, 2> all = {{
      {"max-logit", "max_attention_logit", "Largest attention logit",
       "largest attention logit (after the scale)", 1e-2, 1e7},
      {"min-entropy", "attention_entropy/min", "Lowest attention entropy of a head",
       "mean entropy of the lowest head (nats)", 1e-4, 1e2},
  }};
  return all;
}

FigurePoint point_of(const Drawing& drawing, double x, double value, bool unusable) {
  const double y = std::isnan(value) ? drawing.low : std::clamp(value, drawing.low, drawing.high);
  return {x, y, y != value, unusable};
}

FigureSeries series_of(const Drawing& drawing, const CurveMechanism& curve, std::int64_t step) {
  FigureSeries series{curve.arm, {}, {}};
  for (const CellMechanism& cell : curve.cells) {
    std::vector<double> drawn;
    for (const RunMechanism& run : cell.runs) {
      const auto value = value_at(run, step, drawing.quantity);
      if (!value) continue;
      series.points.push_back(point_of(drawing, cell.x, *value, run.unusable == true));
      drawn.push_back(series.points.back().y);
    }
    const bool complete = cell.missing.empty() && drawn.size() == cell.runs.size();
    const auto range = complete ? seed_range(drawn) : std::nullopt;
    series.line.emplace_back(cell.x, range ? std::optional(range->median) : std::nullopt);
  }
  return series;
}

std::vector<FigureLevel> levels_of(const Drawing& drawing, const MechanismAnalysis& mechanism,
                                   const Stratum& stratum) {
  std::set<std::int64_t> lengths;
  for (const CurveMechanism& curve : mechanism.curves) {
    if (curve.stratum != stratum) continue;
    for (const CellMechanism& cell : curve.cells) lengths.insert(cell.block_size);
  }
  std::vector<FigureLevel> levels;
  for (const MechanismThreshold& threshold : mechanism.thresholds) {
    if (threshold.quantity != drawing.quantity) continue;
    if (threshold.share_of_most && lengths.size() != 1) continue;
    const double y = level_of(threshold, *lengths.begin());
    levels.push_back({threshold.share_of_most
                          ? fmt::format("{:.0f} % of most", 100 * threshold.bound)
                          : sized_text(y),
                      y});
  }
  return levels;
}

TableCell number_or_word(double value) {
  if (std::isfinite(value)) return {sized_text(value), value};
  return word_cell(fmt::format("{}", value));
}

Table data_of(const Figure& figure, const Drawing& drawing,
              const std::vector<const CurveMechanism*>& curves, std::int64_t step) {
  Table table;
  table.name = figure.name;
  table.title = figure.title;
  for (const char* key : {"arm", "x", "seed", "unusable", "value", "drawn_at"}) {
    table.columns.push_back({key, key, "", Align::kRight});
  }
  for (const CurveMechanism* curve : curves) {
    for (const CellMechanism& cell : curve->cells) {
      for (const RunMechanism& run : cell.runs) {
        const auto value = value_at(run, step, drawing.quantity);
        if (!value) continue;
        const bool unusable = run.unusable == true;
        const FigurePoint point = point_of(drawing, cell.x, *value, unusable);
        table.rows.push_back({word_cell(curve->arm),
                              {format_number(cell.x), cell.x},
                              {std::to_string(run.seed), run.seed},
                              {unusable ? "yes" : "no", unusable},
                              number_or_word(*value),
                              number_or_word(point.y)});
      }
    }
  }
  return table;
}

std::vector<std::pair<std::string, double>> ticks_of(
    const std::string& axis, const std::vector<const CurveMechanism*>& curves) {
  std::set<double> levels;
  for (const CurveMechanism* curve : curves) {
    for (const CellMechanism& cell : curve->cells) levels.insert(cell.x);
  }
  std::vector<std::pair<std::string, double>> ticks;
  for (const double x : levels) ticks.emplace_back(level_text(axis, x), x);
  return ticks;
}

Figure figure_of(const Drawing& drawing, const Analysis& analysis,
                 const MechanismAnalysis& mechanism, const Stratum& stratum) {
  std::vector<const CurveMechanism*> curves;
  for (const CurveMechanism& curve : mechanism.curves) {
    if (curve.stratum == stratum) curves.push_back(&curve);
  }
  const std::string axis = axis_title(analysis.axis);
  Figure figure;
  figure.name = drawing.slug + stratum_slug(stratum);
  figure.title = fmt::format("{} against {}{}", drawing.title, axis, stratum_suffix(stratum));
  figure.x_label = axis == "learning rate" ? "peak learning rate" : axis;
  figure.y_label = drawing.y_label;
  figure.logarithmic_y = true;
  figure.remarks = {fmt::format("After {} updates. Points are seeds: filled usable, open unusable, "
                                "cross beyond {:g} to {:g} or not finite (drawn at the edge).",
                                mechanism.last_step, drawing.low, drawing.high),
                    "Lines are medians over seeds. Arms' markers stand side by side. Dashed: "
                    "thresholds of the literature."};
  figure.ticks = ticks_of(analysis.axis, curves);
  for (const CurveMechanism* curve : curves) {
    figure.series.push_back(series_of(drawing, *curve, mechanism.last_step));
  }
  figure.levels = levels_of(drawing, mechanism, stratum);
  figure.data = data_of(figure, drawing, curves, mechanism.last_step);
  return figure;
}

}  // namespace

std::vector<Figure> mechanism_figures(const Analysis& analysis,
                                      const MechanismAnalysis& mechanism) {
  std::vector<Figure> figures;
  for (const Drawing& drawing : drawings()) {
    const auto& names = mechanism.names;
    if (std::find(names.begin(), names.end(), drawing.quantity) == names.end()) continue;
    for (const Stratum& stratum : analysis.strata) {
      figures.push_back(figure_of(drawing, analysis, mechanism, stratum));
    }
  }
  return figures;
}

}  // namespace sweep
