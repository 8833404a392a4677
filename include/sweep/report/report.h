#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "sweep/analysis/analysis.h"
#include "sweep/analysis/effects.h"
#include "sweep/analysis/fragility.h"
#include "sweep/analysis/mechanism.h"
#include "sweep/analysis/training_health.h"
#include "sweep/analysis/verdict.h"
#include "sweep/base/json.h"
#include "sweep/prereg/lock.h"
#include "sweep/prereg/prereg.h"
#include "sweep/record/amendment.h"
#include "sweep/record/anchor.h"
#include "sweep/record/journal.h"
#include "sweep/record/run_record.h"
#include "sweep/record/run_series.h"
#include "sweep/report/figure.h"
#include "sweep/report/table.h"

namespace sweep {

/// What happened to the registration after it was made, and beside it.
struct History {
  std::vector<Amendment> amendments;
  std::vector<RunSpec> removed;  ///< runs that amendments took out of the plan
  std::vector<Note> notes;
  std::vector<Anchor> anchors;
};

struct ReportInputs {
  const Prereg& prereg;
  const Lock& lock;
  const std::vector<RunRecord>& records;
  const FloorTable& floors;  ///< `floors_of(records, sweep.data())`
  std::size_t peeks = 0;     ///< looks at results before the sweep was complete
  History history = {};
  std::vector<RunSeries> series = {};  ///< `read_series(sweep, records)`
  std::vector<PilotBest> pilot = {};   ///< empty without a pilot
  std::string stamp = {};              ///< on every table and figure; "SIMULATED"
};

/// Everything that is shown of a sweep. Equal inputs give equal reports: no time, no path.
struct Report {
  std::string title;
  std::string question;
  std::size_t planned = 0;  ///< runs, exploratory ones not among them
  std::size_t finished = 0;
  std::vector<std::string> missing;  ///< ids of the planned runs without a result
  History history;
  Definitions definitions;  ///< by which the findings were made
  Analysis analysis;
  std::vector<RangeEffect> range_effects;
  std::vector<NecessitySlope> necessity_slopes;
  std::vector<Verdict> verdicts;  ///< one per hypothesis
  Fragility fragility;
  MechanismAnalysis mechanism;
  std::vector<CellHealth> health;  ///< empty when no run has training lines
  std::vector<Table> tables;       ///< for readers, findings first
  std::vector<Table> data;         ///< for programs: every cell, every run
  std::vector<Figure> figures;
  std::string stamp;  ///< what every table and figure carries; "" for a complete sweep

  /// Whether every planned run has a result. When not, the stamp says so.
  [[nodiscard]] bool complete() const { return finished == planned; }
};

/// Throws `Error` when the records do not fit the pre-registration (an axis that is not a number).
Report build_report(const ReportInputs& inputs);

/// The registration as a document to be read and signed: question, hypotheses, definitions, grid,
/// what is held fixed, analysis plan, amendments.
struct RegistrationDocument {
  const Prereg& prereg;
  Placeholders undecided;
  const Lock* lock = nullptr;  ///< nullptr: not registered yet
  History history = {};
};
std::string registration_markdown(const RegistrationDocument& document);

/// The tables for readers, as text.
void print_report(const Report& report, const TerminalOptions& options, std::ostream& out);

/// The object of report.json and `report --json`: docs/schemas/report.schema.json has every key.
Json report_json(const Report& report);

struct WrittenReport {
  std::vector<std::filesystem::path> files;
  std::string figures_note;  ///< why figures were left out and what to do; "" when they were drawn
};

/// Writes report.md, report.json, tables/NAME.csv, figures/NAME.{svg,csv,gp} under `folder`, whose
/// `tables` and `figures` are emptied first. Without a working gnuplot there are no SVG files.
WrittenReport write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace sweep
