#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// Where a run is drawn: what LR-sensitivity makes of it. nullopt: missing, or without a cap.
std::optional<FigurePoint> point_of(const Cell& cell, const CellRun& run) {
  if (!run.losses || !run.losses->initial_loss) return std::nullopt;
  const double cap = *run.losses->initial_loss;
  const double loss = run.losses->final_loss.value_or(cap);
  return FigurePoint{cell.x, std::min(loss, cap), loss >= cap, run.judgement.unusable == true};
}

FigureSeries series_of(const Curve& curve) {
  FigureSeries series{curve.arm, {}, {}};
  for (const Cell& cell : curve.cells) {
    double sum = 0;
    std::size_t n = 0;
    for (const CellRun& run : cell.runs) {
      const auto point = point_of(cell, run);
      if (!point) continue;
      series.points.push_back(*point);
      sum += point->y;
      ++n;
    }
    const bool complete = n == cell.runs.size();
    series.line.emplace_back(cell.x,
                             complete ? std::optional(sum / static_cast<double>(n)) : std::nullopt);
  }
  return series;
}

std::vector<const Cell*> cells_of(const std::vector<const Curve*>& curves) {
  std::vector<const Cell*> cells;
  for (const Curve* curve : curves) {
    for (const Cell& cell : curve->cells) cells.push_back(&cell);
  }
  return cells;
}

std::optional<double> mean_initial_loss(const std::vector<const Cell*>& cells) {
  std::vector<double> losses;
  for (const Cell* cell : cells) {
    for (const CellRun& run : cell->runs) {
      if (run.losses && run.losses->initial_loss) losses.push_back(*run.losses->initial_loss);
    }
  }
  if (losses.empty()) return std::nullopt;
  return spread_of(losses).mean;
}

FigureLevel level(const std::string& name, double y) {
  return {fmt::format("{} {:.2f}", name, y), y};
}

/// Lines across the figure; floors only where all of its runs share them.
std::vector<FigureLevel> levels_of(const std::vector<const Cell*>& cells) {
  std::vector<FigureLevel> levels;
  if (const auto initial = mean_initial_loss(cells))
    levels.push_back(level("initial loss", *initial));
  const CorpusFloors& floors = cells.front()->floors;
  const bool shared = std::all_of(cells.begin(), cells.end(),
                                  [&](const Cell* cell) { return cell->floors == floors; });
  if (!shared) return levels;
  levels.push_back(level("uniform", floors.uniform));
  levels.push_back(level("unigram", floors.unigram));
  levels.push_back(level("bigram", floors.bigram));
  return levels;
}

std::vector<std::pair<std::string, double>> ticks_of(const std::string& axis,
                                                     const std::vector<const Cell*>& cells) {
  std::set<double> levels;
  for (const Cell* cell : cells) levels.insert(cell->x);
  std::vector<std::pair<std::string, double>> ticks;
  for (const double x : levels) ticks.emplace_back(level_text(axis, x), x);
  return ticks;
}

std::vector<TableCell> data_row(const Curve& curve, const Cell& cell, const CellRun& run) {
  const auto point = point_of(cell, run);
  const bool measured = run.losses && run.losses->final_loss;
  return {word_cell(curve.arm),
          {format_number(cell.x), cell.x},
          {std::to_string(run.seed), run.seed},
          word_cell(to_string(run.judgement.status)),
          measured ? number_cell(*run.losses->final_loss, 3) : empty_cell(),
          point ? number_cell(point->y, 3) : empty_cell()};
}

Table data_of(const Figure& figure, const std::vector<const Curve*>& curves) {
  Table table;
  table.name = figure.name;
  table.title = figure.title;
  for (const char* key : {"arm", "x", "seed", "status", "final_val_loss", "drawn_at"}) {
    table.columns.push_back({key, key, "", Align::kRight});
  }
  for (const Curve* curve : curves) {
    for (const Cell& cell : curve->cells) {
      for (const CellRun& run : cell.runs) table.rows.push_back(data_row(*curve, cell, run));
    }
  }
  return table;
}

Figure loss_figure(const Analysis& analysis, const Stratum& stratum) {
  std::vector<const Curve*> curves;
  for (const CurveAnalysis& one : analysis.curves) {
    if (one.curve.stratum == stratum) curves.push_back(&one.curve);
  }
  const auto cells = cells_of(curves);
  const std::string axis = axis_title(analysis.axis);
  Figure figure;
  figure.name = "loss" + stratum_slug(stratum);
  figure.title = fmt::format("Final validation loss against {}{}", axis, stratum_suffix(stratum));
  figure.x_label = axis == "learning rate" ? "peak learning rate" : axis;
  figure.y_label = "final validation loss (nats per token)";
  figure.remarks = {
      "Points are seeds: filled usable, open unusable, cross at or above the initial loss or "
      "non-finite (drawn at the initial loss).",
      "Lines are means over seeds of min(final loss, initial loss). "
      "Arms' markers stand side by side."};
  figure.ticks = ticks_of(analysis.axis, cells);
  for (const Curve* curve : curves) figure.series.push_back(series_of(*curve));
  figure.levels = levels_of(cells);
  figure.data = data_of(figure, curves);
  return figure;
}

}  // namespace

std::vector<Figure> loss_figures(const Analysis& analysis) {
  std::vector<Figure> figures;
  for (const Stratum& stratum : analysis.strata) figures.push_back(loss_figure(analysis, stratum));
  return figures;
}

}  // namespace sweep
