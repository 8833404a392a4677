#pragma once

#include <vector>

#include "sweep/report/report.h"

namespace sweep {

// One function per table; what a table shows stands in its title and note.

/// One table per stratum.
std::vector<Table> loss_tables(const Analysis& analysis);
Table failure_table(const Analysis& analysis);
Table best_table(const Analysis& analysis);
Table stability_table(const Analysis& analysis, const Definitions& definitions);
Table sensitivity_table(const Analysis& analysis);
Table necessity_table(const Analysis& analysis, const Definitions& definitions);
/// One table per stratum (and per treatment where there are several).
std::vector<Table> gap_tables(const Analysis& analysis, const Definitions& definitions);
/// One table per stratum; none unless convergence was registered.
std::vector<Table> convergence_tables(const Analysis& analysis);

Table ranges_table(const Analysis& analysis, const std::vector<RangeEffect>& effects);
Table slopes_table(const std::vector<NecessitySlope>& slopes);

Table verdicts_table(const std::vector<Verdict>& verdicts);
Table evidence_table(const std::vector<Verdict>& verdicts);
Table tests_table(const std::vector<Verdict>& verdicts);
Table fragility_table(const Fragility& fragility, const std::vector<Verdict>& verdicts);

Table completeness_table(const ReportInputs& inputs, const Analysis& analysis);
Table parameters_table(const ReportInputs& inputs, const Analysis& analysis);
Table arms_table(const ReportInputs& inputs);
Table isolation_table(const ReportInputs& inputs);
Table fixed_table(const ReportInputs& inputs);
/// One table per set of evaluated tokens.
std::vector<Table> corpus_tables(const ReportInputs& inputs);
Table definitions_table(const Definitions& definitions);
Table provenance_table(const ReportInputs& inputs);

/// Runs on which no finding rests: a table per robustness block, one of exploratory runs.
std::vector<Table> block_tables(const ReportInputs& inputs);
/// None when nothing was amended, or noted.
std::vector<Table> amendment_tables(const History& history);
std::vector<Table> note_tables(const History& history);
/// Marks the rows that rest on runs which amendments added, or took out: "3e-2 [A1]", and says in
/// the note what [A1] is and which definitions were amended. Rows are matched by their columns x,
/// stratum, arm and seed.
void mark_amended(std::vector<Table>& tables, const ReportInputs& inputs, const Analysis& analysis);
/// The same in what figures are drawn from; a figure that was touched says so in its stamp.
void mark_amended(std::vector<Figure>& figures, const ReportInputs& inputs,
                  const Analysis& analysis);
/// The same for the table of definitions, and, as a column, for the data of runs.
Table with_amended_definitions(Table table, const History& history);
Table with_amendment_column(Table runs, const History& history);

/// One table per stratum and handful of quantities; none when nothing was measured.
std::vector<Table> mechanism_tables(const Analysis& analysis, const MechanismAnalysis& mechanism);
Table crossings_table(const Analysis& analysis, const MechanismAnalysis& mechanism);
Table thresholds_table(const MechanismAnalysis& mechanism);
Table health_table(const Analysis& analysis, const std::vector<CellHealth>& cells);

/// For programs: one row per cell, one row per run.
Table cells_data(const Analysis& analysis);
Table runs_data(const Analysis& analysis);

/// One figure per stratum.
std::vector<Figure> loss_figures(const Analysis& analysis);
/// One per stratum and quantity drawn; none when nothing was measured.
std::vector<Figure> mechanism_figures(const Analysis& analysis, const MechanismAnalysis& mechanism);

}  // namespace sweep
