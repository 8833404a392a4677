#pragma once

#include "analysis/study_builder.h"
#include "sweep/report/report.h"

namespace sweep {

/// A sweep small enough to check by hand: two arms, three rates, one depth, two seeds. Base fails
/// at 1e-2 (one run degraded) and at 1e-1 (one non-finite, one above its initial loss).
inline StudyBuilder small_study() {
  StudyBuilder study;
  study.prereg().title = "A small study";
  study.prereg().question = "Does the report say what was measured?";
  study.cell("base", 2, 1e-3, {2.0, 2.2}).cell("qknorm", 2, 1e-3, {2.1, 2.3});
  study.cell("base", 2, 1e-2, {2.3, 2.5}).cell("qknorm", 2, 1e-2, {2.0, 2.2});
  study.cell("base", 2, 1e-1, {kNan, 4.5}).cell("qknorm", 2, 1e-1, {2.2, 2.3});
  for (RunRecord& record : study.records()) record.result->initial_val_loss = 4.0;
  return study;
}

inline Lock small_lock() {
  Lock lock;
  lock.registered_at = "2026-08-01T12:00:00Z";
  lock.prereg_hash = "0123456789abcdef";
  lock.plan_hash = "fedcba9876543210";
  lock.code = {{"version", "0.1.0"}, {"clean", true}};
  lock.numeric_identity = {{"schema_version", 1}, {"device", "cpu"}, {"threads", 1}};
  return lock;
}

inline Report report_on(const StudyBuilder& study, std::size_t peeks = 0,
                        const std::vector<RunSeries>& series = {}) {
  const Lock lock = small_lock();
  const FloorTable floors = study.floor_table();
  return build_report({study.prereg(), lock, study.records(), floors, peeks, {}, series});
}

inline const Table& table_named(const Report& report, const std::string& name) {
  for (const auto* tables : {&report.tables, &report.data}) {
    for (const Table& table : *tables) {
      if (table.name == name) return table;
    }
  }
  throw std::runtime_error("no table " + name);
}

/// The cell in the row whose first cells read `row`, under the column with that key.
inline const TableCell& cell_of(const Table& table, const std::vector<std::string>& row,
                                const std::string& key) {
  for (const auto& candidate : table.rows) {
    bool same = true;
    for (std::size_t i = 0; i < row.size(); ++i) same = same && candidate[i].text == row[i];
    if (!same) continue;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == key) return candidate[i];
    }
  }
  throw std::runtime_error("no cell " + key);
}

}  // namespace sweep
