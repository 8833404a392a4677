#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/cell_text.h"
#include "report/mechanism_text.h"
#include "report/tables.h"

namespace sweep {
namespace {

using Value = std::optional<double> (*)(const TrainingHealth&);

struct HealthColumn {
  const char* key;
  const char* title;
  Value value;
};

constexpr HealthColumn kColumns[] = {
    {"grad_norm_p50", "‖g‖ median", [](const TrainingHealth& run) { return run.grad_norm_p50; }},
    {"grad_norm_p99_9", "‖g‖ 99.9 %",
     [](const TrainingHealth& run) { return run.grad_norm_p99_9; }},
    {"clip_share", "clipped",
     [](const TrainingHealth& run) { return std::optional(run.clip_share); }},
    {"spikes_per_10k", "spikes/10k",
     [](const TrainingHealth& run) { return std::optional(run.spikes_per_10k); }},
};

TableCell cell_over_seeds(const CellHealth* cell, Value value) {
  if (cell == nullptr) return empty_cell();
  std::vector<double> values;
  for (const TrainingHealth& run : cell->runs) {
    if (const auto one = value(run)) values.push_back(*one);
  }
  return range_cell(seed_range(std::move(values)));
}

const CellHealth* find_cell(const std::vector<CellHealth>& cells, const std::string& arm,
                            const Stratum& stratum, double x) {
  for (const CellHealth& cell : cells) {
    if (cell.arm == arm && cell.stratum == stratum && cell.x == x) return &cell;
  }
  return nullptr;
}

std::set<double> levels_of(const std::vector<CellHealth>& cells, const Stratum& stratum) {
  std::set<double> levels;
  for (const CellHealth& cell : cells) {
    if (cell.stratum == stratum) levels.insert(cell.x);
  }
  return levels;
}

}  // namespace

Table health_table(const Analysis& analysis, const std::vector<CellHealth>& cells) {
  Table table;
  table.name = "training-health";
  table.title = "Training health";
  table.note =
      "Median over the seeds that finished (their range). ‖g‖: global norm of the gradient before "
      "clipping. Clipped: share of updates. Spikes: training losses more than 0.1 nats above the "
      "median of the last 201 training lines, per 10,000; in small batches noise counts, too.";
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.push_back({"x", axis_heading(analysis.axis), "", Align::kRight});
  for (const std::string& arm : analysis.arms) {
    for (const HealthColumn& column : kColumns) {
      table.columns.push_back({arm + "_" + column.key, column.title, arm, Align::kLeft});
    }
  }
  for (const Stratum& stratum : analysis.strata) {
    for (const double x : levels_of(cells, stratum)) {
      std::vector<TableCell> row;
      if (has_strata(analysis)) row.push_back(stratum_cell(stratum));
      row.push_back(level_cell(analysis.axis, x));
      for (const std::string& arm : analysis.arms) {
        const CellHealth* cell = find_cell(cells, arm, stratum, x);
        for (const HealthColumn& column : kColumns) {
          row.push_back(cell_over_seeds(cell, column.value));
        }
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace sweep
