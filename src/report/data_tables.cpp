#include <cmath>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

TableCell full_cell(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return empty_cell();
  return {format_number(*value), *value};
}

TableCell flag_cell(std::optional<bool> value) {
  if (!value) return empty_cell();
  return {*value ? "yes" : "no", *value};
}

TableCell size_cell(std::size_t n) { return count_cell(static_cast<std::int64_t>(n)); }

std::vector<Column> columns_of(const std::vector<std::string>& keys) {
  std::vector<Column> columns;
  for (const std::string& key : keys) columns.push_back({key, key, "", Align::kRight});
  return columns;
}

std::vector<TableCell> place_of(const Analysis& analysis, const Curve& curve, const Cell& cell) {
  return {word_cell(curve.arm),
          {to_words(curve.stratum), to_json(curve.stratum)},
          level_cell(analysis.axis, cell.x)};
}

std::vector<TableCell> cell_row(const Analysis& analysis, const Curve& curve, const Cell& cell) {
  const CellCounts counts = counts_of(cell);
  const auto finding = final_loss_of(cell);
  const Spread* spread = value_of(finding);
  std::vector<TableCell> row = place_of(analysis, curve, cell);
  for (const std::size_t n :
       {counts.planned, counts.finished, counts.nonfinite, counts.diverged, counts.unusable}) {
    row.push_back(size_cell(n));
  }
  if (spread == nullptr) {
    row.insert(row.end(), 6, empty_cell());
    return row;
  }
  for (const double value : {spread->mean, spread->min, spread->max})
    row.push_back(full_cell(value));
  row.push_back(full_cell(spread->sd));
  row.push_back(full_cell(perplexity(spread->mean)));
  row.push_back(full_cell(bits_per_character(spread->mean, cell.chars_per_token)));
  return row;
}

std::vector<TableCell> run_row(const Analysis& analysis, const Curve& curve, const Cell& cell,
                               const CellRun& run) {
  const RunLosses losses = run.losses.value_or(RunLosses{});
  std::vector<TableCell> row = place_of(analysis, curve, cell);
  row.push_back({std::to_string(run.seed), run.seed});
  row.push_back(word_cell(to_string(run.judgement.status)));
  row.push_back(flag_cell(run.judgement.diverged));
  row.push_back(flag_cell(run.judgement.unusable));
  row.push_back(full_cell(losses.final_loss));
  row.push_back(full_cell(losses.initial_loss));
  row.push_back(word_cell(run.id));
  return row;
}

}  // namespace

Table cells_data(const Analysis& analysis) {
  Table table;
  table.name = "cells";
  table.title = "Every cell";
  table.note = "Losses in nats per token; sd with divisor n - 1.";
  table.columns =
      columns_of({"arm", "stratum", "x", "planned", "finished", "nonfinite", "diverged", "unusable",
                  "mean", "min", "max", "sd", "perplexity", "bits_per_character"});
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) {
      table.rows.push_back(cell_row(analysis, one.curve, cell));
    }
  }
  return table;
}

Table runs_data(const Analysis& analysis) {
  Table table;
  table.name = "runs";
  table.title = "Every run";
  table.note = "Losses in nats per token.";
  table.columns = columns_of({"arm", "stratum", "x", "seed", "status", "diverged", "unusable",
                              "final_val_loss", "initial_val_loss", "id"});
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) {
      for (const CellRun& run : cell.runs) {
        table.rows.push_back(run_row(analysis, one.curve, cell, run));
      }
    }
  }
  return table;
}

}  // namespace sweep
