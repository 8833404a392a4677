#include "sweep/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "report/deviations.h"
#include "report/tables.h"
#include "report/text_layout.h"
#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

void append(std::vector<Table>& tables, std::vector<Table> more) {
  std::move(more.begin(), more.end(), std::back_inserter(tables));
}

bool has_tests(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return !verdict.tests.empty(); });
}

/// What was measured inside the runs; nothing where nothing was.
std::vector<Table> inner_tables(const ReportInputs& inputs, const Report& report) {
  std::vector<Table> tables = mechanism_tables(report.analysis, report.mechanism);
  if (!report.mechanism.thresholds.empty()) {
    append(tables, {crossings_table(report.analysis, report.mechanism),
                    thresholds_table(report.mechanism)});
  }
  if (!report.health.empty()) append(tables, {health_table(report.analysis, report.health)});
  mark_amended(tables, inputs, report.analysis);
  return tables;
}

/// The answer first, then the findings, then what both rest on.
std::vector<Table> tables_of(const ReportInputs& inputs, const Report& report) {
  const Definitions& definitions = inputs.prereg.definitions;
  const Analysis& analysis = report.analysis;
  const bool judged = !report.verdicts.empty();
  std::vector<Table> tables;
  if (judged) tables.push_back(verdicts_table(report.verdicts));
  append(tables, loss_tables(analysis));
  append(tables,
         {failure_table(analysis), best_table(analysis), stability_table(analysis, definitions)});
  if (!analysis.necessity.empty()) tables.push_back(necessity_table(analysis, definitions));
  if (!report.necessity_slopes.empty()) tables.push_back(slopes_table(report.necessity_slopes));
  tables.push_back(sensitivity_table(analysis));
  append(tables, gap_tables(analysis, definitions));
  if (!report.range_effects.empty()) {
    tables.push_back(ranges_table(analysis, report.range_effects));
  }
  append(tables, convergence_tables(analysis));
  mark_amended(tables, inputs, analysis);
  if (judged) {
    tables.push_back(evidence_table(report.verdicts));
    if (has_tests(report.verdicts)) tables.push_back(tests_table(report.verdicts));
    tables.push_back(fragility_table(report.fragility, report.verdicts));
  }
  append(tables, block_tables(inputs));
  append(tables, amendment_tables(inputs.history));
  append(tables, inner_tables(inputs, report));
  append(tables, {completeness_table(inputs, analysis), parameters_table(inputs, analysis),
                  arms_table(inputs), isolation_table(inputs), fixed_table(inputs)});
  append(tables, corpus_tables(inputs));
  append(tables, {with_amended_definitions(definitions_table(definitions), inputs.history),
                  provenance_table(inputs)});
  append(tables, note_tables(inputs.history));
  return tables;
}

void find_out(Report& report, const ReportInputs& inputs) {
  const auto curves = group(inputs.prereg, inputs.records, inputs.floors, evals_of(inputs.series));
  report.analysis = analyse(inputs.prereg, inputs.prereg.definitions, curves, inputs.pilot);
  if (report.analysis.curves.empty()) fail(ExitCode::kBadInput, "the plan has no runs to report");
  report.range_effects = range_effects(inputs.prereg, report.analysis);
  report.necessity_slopes = necessity_slopes(report.analysis);
  report.verdicts = judge_hypotheses(inputs.prereg, report.analysis);
  for (Verdict& verdict : report.verdicts) verdict.deviations = deviations_of(verdict, inputs);
  report.fragility = fragility_of(inputs.prereg, curves, inputs.pilot, report.verdicts);
}

/// Exploratory runs are outside the plan: a report is complete without them.
void count_runs(Report& report, const std::vector<RunRecord>& records) {
  for (const RunRecord& record : records) {
    if (record.spec.block == kExploratoryBlock) continue;
    ++report.planned;
    if (!record.result) report.missing.push_back(record.spec.id);
  }
  report.finished = report.planned - report.missing.size();
}

/// Nothing unfinished or invented leaves this room without saying so.
void stamp(Report& report, const std::string& words) {
  for (auto* tables : {&report.tables, &report.data}) {
    for (Table& table : *tables) table.stamp = words;
  }
  for (Figure& figure : report.figures) {
    figure.stamp = words;
    figure.data.stamp = words;
  }
}

/// What was measured on the way, beside the judged curves.
void look_inside(Report& report, const ReportInputs& inputs) {
  std::vector<Curve> curves;
  for (const CurveAnalysis& one : report.analysis.curves) curves.push_back(one.curve);
  report.mechanism =
      analyse_mechanism(curves, inputs.records, inputs.series, inputs.prereg.definitions);
  report.health = training_health(curves, inputs.records, inputs.series);
}

}  // namespace

Report build_report(const ReportInputs& inputs) {
  Report report;
  report.title = inputs.prereg.title;
  report.question = inputs.prereg.question;
  report.definitions = inputs.prereg.definitions;
  report.history = inputs.history;
  count_runs(report, inputs.records);
  find_out(report, inputs);
  look_inside(report, inputs);
  report.tables = tables_of(inputs, report);
  report.data = {cells_data(report.analysis),
                 with_amendment_column(runs_data(report.analysis), inputs.history)};
  report.figures = loss_figures(report.analysis);
  for (Figure& figure : mechanism_figures(report.analysis, report.mechanism)) {
    report.figures.push_back(std::move(figure));
  }
  report.stamp = inputs.stamp;
  if (report.stamp.empty() && !report.complete()) {
    report.stamp =
        fmt::format("INTERIM: {} of {}", report.finished, count_of(report.planned, "run"));
  }
  if (!report.stamp.empty()) stamp(report, report.stamp);
  mark_amended(report.figures, inputs, report.analysis);
  return report;
}

void print_report(const Report& report, const TerminalOptions& options, std::ostream& out) {
  for (const std::string& text : {report.title, report.question}) {
    if (text.empty()) continue;
    for (const std::string& line : wrapped(text, options.width)) out << line << '\n';
  }
  out << fmt::format("{} of {}\n", report.finished, count_of(report.planned, "run"));
  for (const Table& table : report.tables) out << '\n' << to_terminal(table, options);
}

}  // namespace sweep
