#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// The levels of the axis in one stratum, over all arms.
std::vector<double> levels_of(const Analysis& analysis, const Stratum& stratum) {
  std::set<double> levels;
  for (const CurveAnalysis& one : analysis.curves) {
    if (one.curve.stratum != stratum) continue;
    for (const Cell& cell : one.curve.cells) levels.insert(cell.x);
  }
  return {levels.begin(), levels.end()};
}

/// nullptr when the arm has no run there.
const Cell* find_cell(const Analysis& analysis, const std::string& arm, const Stratum& stratum,
                      double x) {
  const CurveAnalysis* found = find_curve(analysis, arm, stratum);
  return found != nullptr ? find_cell(found->curve, x) : nullptr;
}

/// "(2/2 unusable)", "(1/2 finished)": what a mean must not hide.
std::string caveat(const CellCounts& counts) {
  std::vector<std::string> parts;
  if (counts.unusable > 0) {
    parts.push_back(fmt::format("{}/{} unusable", counts.unusable, counts.finished));
  }
  if (counts.finished < counts.planned) {
    parts.push_back(fmt::format("{}/{} finished", counts.finished, counts.planned));
  }
  return parts.empty() ? "" : fmt::format(" ({})", join(parts, ", "));
}

TableCell mean_cell(const Cell& cell) {
  const auto finding = final_loss_of(cell);
  const auto* spread = value_of(finding);
  const std::string ending = caveat(counts_of(cell));
  if (spread == nullptr) return empty_cell(kNothing + ending);
  std::string text = loss_text(spread->mean);
  if (spread->n > 3) text += fmt::format(" ± {}", loss_text(spread->sd.value_or(0)));
  return {text + ending, spread->mean};
}

TableCell seeds_cell(const Cell& cell) {
  Json values = Json::array();
  for (const CellRun& run : cell.runs) {
    const bool known = run.losses && run.losses->final_loss;
    values.push_back(known ? Json(*run.losses->final_loss) : Json(nullptr));
  }
  return {runs_text(cell), values};
}

TableCell perplexity_cell(const Cell& cell) {
  const auto finding = final_loss_of(cell);
  const auto* spread = value_of(finding);
  if (spread == nullptr) return empty_cell();
  const double value = perplexity(spread->mean);
  return {perplexity_text(value), std::isfinite(value) ? Json(value) : Json(nullptr)};
}

std::string loss_note(const std::vector<const Cell*>& cells) {
  std::size_t seeds = 0;
  for (const Cell* cell : cells) seeds = std::max(seeds, cell->runs.size());
  std::string note = fmt::format(
      "Nats per token on the fixed validation set after the last update; n = {} per cell. ",
      count_of(seeds, "seed"));
  note += seeds > 3 ? "Mean over seeds ± standard deviation (divisor n - 1), then minimum–maximum."
                    : "Mean over seeds, then each seed.";
  note += " ppl: perplexity, exp of the mean loss, the geometric mean over seeds.";
  const std::string marks = mark_legend(cells);
  return marks.empty() ? note : fmt::format("{} Marks: {}.", note, marks);
}

Table loss_table(const Analysis& analysis, const Stratum& stratum) {
  Table table;
  table.name = "final-loss" + stratum_slug(stratum);
  table.title = "Final validation loss" + stratum_suffix(stratum);
  table.columns = {{"x", axis_heading(analysis.axis), "", Align::kRight}};
  for (const std::string& arm : analysis.arms) {
    table.columns.push_back({arm + "_loss", "loss", arm, Align::kLeft});
    table.columns.push_back({arm + "_seeds", "seeds", arm, Align::kLeft});
    table.columns.push_back({arm + "_perplexity", "ppl", arm, Align::kRight});
  }
  std::vector<const Cell*> cells;
  for (const double x : levels_of(analysis, stratum)) {
    std::vector<TableCell> row = {level_cell(analysis.axis, x)};
    for (const std::string& arm : analysis.arms) {
      if (const Cell* cell = find_cell(analysis, arm, stratum, x)) {
        cells.push_back(cell);
        row.insert(row.end(), {mean_cell(*cell), seeds_cell(*cell), perplexity_cell(*cell)});
      } else {
        row.insert(row.end(), {empty_cell(), empty_cell(), empty_cell()});
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.note = loss_note(cells);
  return table;
}

/// "ok", or what else there is: "2 degraded".
std::string outcomes(const Cell& cell) {
  std::map<RunStatus, std::size_t> counts;
  for (const CellRun& run : cell.runs) ++counts[run.judgement.status];
  if (counts.size() == 1 && counts.begin()->first == RunStatus::kOk) return "ok";
  std::vector<std::string> parts;
  for (const auto& [status, n] : counts) {
    if (status != RunStatus::kOk) parts.push_back(fmt::format("{} {}", n, to_string(status)));
  }
  return join(parts, ", ");
}

TableCell share_cell(std::size_t part, std::size_t whole) {
  return {fmt::format("{}/{}", part, whole), part};
}

/// Rule-of-three made exact: how much failure a clean cell still allows.
std::string no_failure_note(const Analysis& analysis) {
  const auto n = static_cast<double>(analysis.seeds.size());
  const double bound = 1 - std::pow(0.05, 1 / n);
  return fmt::format(
      "No failure in {} still allows a failure rate of up to {:.0f} % (95 % upper bound, "
      "1 - 0.05^(1/n)).",
      count_of(analysis.seeds.size(), "seed"), 100 * bound);
}

std::string bounds_remark(const CurveAnalysis& one) {
  if (!one.best) return "no complete cell yet";
  if (std::isinf(one.best->mean)) return "a run of every cell is non-finite";
  const bool top = one.best->index + 1 == one.curve.cells.size() && one.curve.cells.size() > 1;
  return top ? "best at the top of the grid: the grid ends too low" : "";
}

std::vector<TableCell> best_row(const Analysis& analysis, const CurveAnalysis& one) {
  std::vector<TableCell> row;
  if (has_strata(analysis)) row.push_back(stratum_cell(one.curve.stratum));
  row.push_back(word_cell(one.curve.arm));
  if (one.best && !std::isinf(one.best->mean)) {
    const Cell& cell = one.curve.cells[one.best->index];
    row.push_back(level_cell(analysis.axis, one.best->x));
    row.push_back(mean_cell(cell));
    row.push_back(seeds_cell(cell));
    row.push_back(perplexity_cell(cell));
    row.push_back(number_cell(bits_per_character(one.best->mean, cell.chars_per_token), 3));
  } else {
    row.insert(row.end(), 5, empty_cell());
  }
  row.push_back(one.stratum_reference ? number_cell(*one.stratum_reference, 3) : empty_cell());
  row.push_back(word_cell(bounds_remark(one)));
  return row;
}

}  // namespace

std::vector<Table> loss_tables(const Analysis& analysis) {
  std::vector<Table> tables;
  for (const Stratum& stratum : analysis.strata) tables.push_back(loss_table(analysis, stratum));
  return tables;
}

Table failure_table(const Analysis& analysis) {
  Table table;
  table.name = "failures";
  table.title = "Diverged and unusable runs";
  table.note =
      "Of the n runs that finished, by the registered definitions. " + no_failure_note(analysis);
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.push_back({"x", axis_heading(analysis.axis), "", Align::kRight});
  for (const std::string& arm : analysis.arms) {
    table.columns.push_back({arm + "_diverged", "diverged", arm, Align::kRight});
    table.columns.push_back({arm + "_unusable", "unusable", arm, Align::kRight});
    table.columns.push_back({arm + "_outcomes", "outcomes", arm, Align::kLeft});
  }
  for (const Stratum& stratum : analysis.strata) {
    for (const double x : levels_of(analysis, stratum)) {
      std::vector<TableCell> row;
      if (has_strata(analysis)) row.push_back(stratum_cell(stratum));
      row.push_back(level_cell(analysis.axis, x));
      for (const std::string& arm : analysis.arms) {
        const Cell* cell = find_cell(analysis, arm, stratum, x);
        const CellCounts n = cell != nullptr ? counts_of(*cell) : CellCounts{};
        row.push_back(share_cell(n.diverged, n.finished));
        row.push_back(share_cell(n.unusable, n.finished));
        row.push_back(word_cell(cell != nullptr ? outcomes(*cell) : "not planned"));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table best_table(const Analysis& analysis) {
  Table table;
  table.name = "best";
  table.title = "Each arm's best " + axis_title(analysis.axis);
  table.note =
      "The lowest mean final loss over complete cells, ties to the lower level: where the scan for "
      "the max stable rate starts, and the reference of \"degraded\" within the arm. Beside it the "
      "lowest mean over all arms of the stratum. Bits per character: mean loss / (ln 2 x "
      "characters "
      "per token).";
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.insert(table.columns.end(), {{"arm", "arm", "", Align::kLeft},
                                             {"x", axis_heading(analysis.axis), "", Align::kRight},
                                             {"loss", "loss", "", Align::kLeft},
                                             {"seeds", "seeds", "", Align::kLeft},
                                             {"perplexity", "perplexity", "", Align::kRight},
                                             {"bits_per_character", "bits/char", "", Align::kRight},
                                             {"all_arms", "all arms", "", Align::kRight},
                                             {"remark", "remark", "", Align::kLeft}});
  for (const CurveAnalysis& one : analysis.curves) table.rows.push_back(best_row(analysis, one));
  return table;
}

}  // namespace sweep
