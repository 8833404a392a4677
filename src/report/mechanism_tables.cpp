#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/cell_text.h"
#include "report/mechanism_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kMostQuantities = 5;  // of one table, for each arm

std::vector<double> levels_of(const MechanismAnalysis& mechanism, const Stratum& stratum) {
  std::set<double> levels;
  for (const CurveMechanism& curve : mechanism.curves) {
    if (curve.stratum != stratum) continue;
    for (const CellMechanism& cell : curve.cells) levels.insert(cell.x);
  }
  return {levels.begin(), levels.end()};
}

std::string column_key(const std::string& arm, const std::string& name) {
  std::string key = arm + "_" + name;
  std::replace(key.begin(), key.end(), '/', '_');
  return key;
}

std::string note_of(const MechanismAnalysis& mechanism) {
  return fmt::format(
      "After {} updates, on the fixed validation set: median over the seeds that finished (their "
      "range), over all layers and heads, whether or not the run was usable. Logits after the "
      "scale; entropy in nats, that of the head with the lowest; kurtosis of the block input with "
      "the highest. Layers, heads and other steps stand in metrics.jsonl.",
      mechanism.last_step);
}

Table quantities_table(const Analysis& analysis, const MechanismAnalysis& mechanism,
                       const Stratum& stratum, std::span<const ShownQuantity> quantities) {
  Table table;
  table.note = note_of(mechanism);
  table.columns = {{"x", axis_heading(analysis.axis), "", Align::kRight}};
  for (const std::string& arm : analysis.arms) {
    for (const ShownQuantity& quantity : quantities) {
      table.columns.push_back(
          {column_key(arm, quantity.name), quantity.heading, arm, Align::kLeft});
    }
  }
  for (const double x : levels_of(mechanism, stratum)) {
    std::vector<TableCell> row = {level_cell(analysis.axis, x)};
    for (const std::string& arm : analysis.arms) {
      const CurveMechanism* curve = find_curve(mechanism, arm, stratum);
      const CellMechanism* cell = curve != nullptr ? find_cell(*curve, x) : nullptr;
      for (const ShownQuantity& quantity : quantities) {
        row.push_back(cell != nullptr
                          ? range_cell(range_at(*cell, mechanism.last_step, quantity.name))
                          : empty_cell());
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Table> stratum_tables(const Analysis& analysis, const MechanismAnalysis& mechanism,
                                  const Stratum& stratum) {
  std::vector<Table> tables;
  const auto shown = shown_quantities(mechanism);
  for (std::size_t first = 0; first < shown.size(); first += kMostQuantities) {
    const std::size_t count = std::min(kMostQuantities, shown.size() - first);
    Table table =
        quantities_table(analysis, mechanism, stratum, std::span(shown).subspan(first, count));
    table.name = "mechanism" + stratum_slug(stratum);
    table.title = "Mechanism at the last step" + stratum_suffix(stratum);
    if (first > 0) {
      table.name += fmt::format("-{}", first / kMostQuantities + 1);
      table.title += ", continued";
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

TableCell crossing_cell(const std::string& axis, const Finding<std::optional<double>>& crossing) {
  const auto* level = value_of(crossing);
  if (level == nullptr) return empty_cell("?");
  return *level ? level_cell(axis, **level) : empty_cell("never");
}

void add_arm(std::vector<TableCell>& row, const std::string& axis, const CurveMechanism* curve,
             std::size_t threshold) {
  if (curve == nullptr) {
    row.insert(row.end(), 7, empty_cell());
    return;
  }
  row.push_back(crossing_cell(axis, curve->crossings[threshold].any_seed));
  row.push_back(crossing_cell(axis, curve->crossings[threshold].every_seed));
  const PassageCounts& counts = curve->passages[threshold];
  for (const std::size_t count :
       {counts.before, counts.undecided, counts.after, counts.without, counts.harmless}) {
    row.push_back(count_cell(static_cast<std::int64_t>(count)));
  }
}

std::vector<Column> crossing_columns(const std::string& arm) {
  return {{arm + "_any_seed", "any seed", arm, Align::kRight},
          {arm + "_every_seed", "every seed", arm, Align::kRight},
          {arm + "_before", "before", arm, Align::kRight},
          {arm + "_undecided", "undecided", arm, Align::kRight},
          {arm + "_after", "after", arm, Align::kRight},
          {arm + "_without", "without", arm, Align::kRight},
          {arm + "_usable", "usable", arm, Align::kRight}};
}

}  // namespace

std::vector<Table> mechanism_tables(const Analysis& analysis, const MechanismAnalysis& mechanism) {
  std::vector<Table> tables;
  for (const Stratum& stratum : analysis.strata) {
    for (Table& table : stratum_tables(analysis, mechanism, stratum)) {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

Table crossings_table(const Analysis& analysis, const MechanismAnalysis& mechanism) {
  Table table;
  table.name = "mechanism-crossings";
  table.title = "Thresholds of the mechanism crossed";
  table.note = fmt::format(
      "Any seed, every seed: lowest {} at which one run (every run) had passed at a registered "
      "step; never: at none of the grid; ?: a missing run could change it. Then runs that ended "
      "unusable: passed before, or after, the loss was lastingly worse than the lowest mean of the "
      "arm's usable cells by more than {:g} nats; undecided: the measured steps do not tell; "
      "without: never seen to pass. Usable: passed and ended usable all the same.",
      axis_title(analysis.axis), mechanism.worse_by);
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.push_back({"threshold", "threshold", "", Align::kLeft});
  for (const std::string& arm : analysis.arms) {
    for (Column& column : crossing_columns(arm)) table.columns.push_back(std::move(column));
  }
  for (const Stratum& stratum : analysis.strata) {
    for (std::size_t i = 0; i < mechanism.thresholds.size(); ++i) {
      std::vector<TableCell> row;
      if (has_strata(analysis)) row.push_back(stratum_cell(stratum));
      row.push_back(word_cell(mechanism.thresholds[i].name));
      for (const std::string& arm : analysis.arms) {
        add_arm(row, analysis.axis, find_curve(mechanism, arm, stratum), i);
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table thresholds_table(const MechanismAnalysis& mechanism) {
  Table table;
  table.name = "mechanism-thresholds";
  table.title = "Where these thresholds come from";
  table.note =
      "Bounds of much larger models: landmarks, by which no run is judged. Entropy is compared "
      "with "
      "the most that its mean over queries can be, ln(T!)/T.";
  table.columns = {{"threshold", "threshold", "", Align::kLeft},
                   {"source", "source", "", Align::kLeft},
                   {"meaning", "what was seen there", "", Align::kLeft}};
  for (const MechanismThreshold& threshold : mechanism.thresholds) {
    table.rows.push_back(
        {word_cell(threshold.name), word_cell(threshold.source), word_cell(threshold.meaning)});
  }
  return table;
}

}  // namespace sweep
