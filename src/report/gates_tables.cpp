#include <fmt/format.h>

#include <algorithm>

#include "report/cell_text.h"
#include "sweep/base/text.h"
#include "sweep/report/rehearsal_tables.h"

namespace sweep {
namespace {

using Outcome = GateResult::Outcome;

std::string word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kWarning:
      return "warning";
    case Outcome::kRefused:
      return "REFUSED";
    case Outcome::kOverridden:
      break;
  }
  return "set aside";
}

std::string details(const GateResult& result) {
  if (result.outcome == Outcome::kOverridden) {
    return fmt::format("{}; set aside because: {}", result.found, result.reason);
  }
  return fmt::format("{}. Why: {}. Do: {}", result.found, find_gate(result.gate)->why, result.todo);
}

std::string world_words(const World& world) {
  std::vector<std::string> parts;
  const auto add = [&](bool differs, const std::string& words) {
    if (differs) parts.push_back(words);
  };
  add(true, fmt::format("others break {:+.2f} decades from the control", world.shift));
  add(true, fmt::format("breaks move {:+.2f} decades per doubling of depth", world.slope));
  add(world.position != 0, fmt::format("all breaks moved by {:+.2f} decades", world.position));
  add(world.offset != 0, fmt::format("others' losses {:+.2f} nats", world.offset));
  add(world.speed != 1, fmt::format("others {} times as fast", format_number(world.speed)));
  add(!world.treated.empty(), "only " + join(world.treated, ", "));
  return join(parts, "; ");
}

/// All seeds of a constructed set are equal, but for the missing ones.
TableCell cell_text(const Cell& cell) {
  for (const CellRun& run : cell.runs) {
    if (!run.losses) return {"missing", nullptr};
  }
  const CellRun& run = cell.runs.front();
  const std::string mark = status_mark(run.judgement.status);
  return {fmt::format("{:.2f}{}", *run.losses->final_loss, mark.empty() ? "" : " " + mark),
          *run.losses->final_loss};
}

Table table_of(const Outcomes& outcomes, const std::string& verdict, const ConstructedSet& set) {
  Table table;
  table.name = fmt::format("{}-{}", outcomes.id, verdict);
  table.title = fmt::format("{} comes out {}", outcomes.id, verdict);
  table.stamp = "CONSTRUCTED";
  table.note = fmt::format(
      "Final losses of every seed, constructed: {}.{} D degraded, C collapsed, B above its start. "
      "{}: {}",
      world_words(set.world),
      set.missing.empty() ? "" : fmt::format(" Missing: {}.", join(set.missing, ", ")), verdict,
      set.verdict.reason);
  const Analysis& analysis = set.analysis;
  table.columns = {stratum_column(analysis), {"arm", "arm", "", Align::kLeft}};
  for (const Cell& cell : analysis.curves.front().curve.cells) {
    const std::string level = level_text(analysis.axis, cell.x);
    table.columns.push_back({level, level, "", Align::kRight});
  }
  for (const CurveAnalysis& one : analysis.curves) {
    std::vector<TableCell> row = {stratum_cell(one.curve.stratum), word_cell(one.curve.arm)};
    for (const Cell& cell : one.curve.cells) row.push_back(cell_text(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table not_found(const Outcomes& outcomes, const std::string& verdict) {
  Table table;
  table.name = fmt::format("{}-{}", outcomes.id, verdict);
  table.title = fmt::format("{} comes out {}", outcomes.id, verdict);
  table.stamp = "CONSTRUCTED";
  table.note = fmt::format("In none of {} constructed result sets.", outcomes.tried);
  table.columns = {{"found", "found", "", Align::kLeft}};
  table.rows = {{word_cell("none")}};
  return table;
}

}  // namespace

Table gates_table(const std::vector<GateResult>& results) {
  Table table;
  table.name = "gates";
  table.title = "Gates";
  table.columns = {{"gate", "gate", "", Align::kLeft},
                   {"outcome", "outcome", "", Align::kLeft},
                   {"found", "found", "", Align::kLeft}};
  for (const GateResult& result : results) {
    const bool passed = result.outcome == Outcome::kPassed;
    table.rows.push_back({word_cell(result.gate), word_cell(word_of(result.outcome)),
                          word_cell(passed ? "" : details(result))});
  }
  return table;
}

std::vector<Table> outcome_tables(const Outcomes& outcomes) {
  std::vector<Table> tables;
  const auto add = [&](const std::string& verdict, const std::optional<ConstructedSet>& set) {
    tables.push_back(set ? table_of(outcomes, verdict, *set) : not_found(outcomes, verdict));
  };
  add("supported", outcomes.supported);
  add("contradicted", outcomes.contradicted);
  add("inconclusive", outcomes.inconclusive);
  return tables;
}

}  // namespace sweep
