#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string value_text(const std::string& axis, const NecessityLr& finding) {
  switch (finding.kind) {
    case NecessityLr::Kind::kInterval:
      return fmt::format("({}, {}]", level_text(axis, *finding.lower),
                         level_text(axis, *finding.upper));
    case NecessityLr::Kind::kLeftCensored:
      return "≤ " + level_text(axis, *finding.upper);
    case NecessityLr::Kind::kRightCensored:
      return "> " + level_text(axis, *finding.lower);
    case NecessityLr::Kind::kNoWindow:
      break;
  }
  return "no window";
}

std::string remark(const NecessityLr& finding) {
  switch (finding.kind) {
    case NecessityLr::Kind::kLeftCensored:
      return "the control fails at its own best level";
    case NecessityLr::Kind::kRightCensored:
      return finding.non_monotone ? "NON_MONOTONE: not needed at the top of the grid"
                                  : "never needed on this grid";
    case NecessityLr::Kind::kNoWindow:
      return "the treatment fails wherever the control does";
    case NecessityLr::Kind::kInterval:
      break;
  }
  return finding.non_monotone ? "NON_MONOTONE: needed below, then not, then again" : "";
}

std::vector<TableCell> row_of(const Analysis& analysis, const Necessity& necessity,
                              const TableCell& seed, const Finding<NecessityLr>& finding) {
  std::vector<TableCell> row;
  if (has_strata(analysis)) row.push_back(stratum_cell(necessity.stratum));
  row.push_back(word_cell(necessity.treatment));
  row.push_back(seed);
  if (const auto* value = value_of(finding)) {
    row.push_back({value_text(analysis.axis, *value), value->upper ? Json(*value->upper) : Json()});
    row.push_back(word_cell(remark(*value)));
  } else {
    row.push_back(empty_cell("?"));
    row.push_back(word_cell(std::get<Undefined>(finding).reason));
  }
  return row;
}

std::string control_words(const Definitions::NecessityLr& rule, const std::string& control) {
  if (rule.control != "worse_by") return fmt::format("{} is {}", control, rule.control);
  return fmt::format("{} is worse by more than {} nats", control, format_number(rule.worse_by));
}

}  // namespace

Table necessity_table(const Analysis& analysis, const Definitions& definitions) {
  const std::string axis = axis_title(analysis.axis);
  Table table;
  table.name = "necessity-lr";
  table.title = fmt::format("Necessity {}: from where on {} needs the treatment", axis,
                            analysis.arms.front());
  table.note = fmt::format(
      "The lowest {} from {}'s best on at which {} and the treatment is usable{}; it lies in "
      "(last level without, first level with]. \"all\": every seed of the treatment must be usable "
      "and not every seed of {}. Crossing: secondary, an estimate: where the mean gap passes {} "
      "nats, linear in the logarithm of the level.",
      axis, analysis.arms.front(), control_words(definitions.necessity_lr, analysis.arms.front()),
      definitions.necessity_lr.persistent ? ", there and at every higher level where it is" : "",
      analysis.arms.front(),
      format_number(analysis.necessity.empty() ? kCrossingGap
                                               : analysis.necessity.front().crossing_gap));
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.insert(table.columns.end(), {{"treatment", "treatment", "", Align::kLeft},
                                             {"seed", "seed", "", Align::kRight},
                                             {"necessity", "needed from", "", Align::kLeft},
                                             {"remark", "remark", "", Align::kLeft},
                                             {"crossing", "crossing", "", Align::kRight}});
  for (const Necessity& necessity : analysis.necessity) {
    for (const auto& [seed, finding] : necessity.per_seed) {
      auto row = row_of(analysis, necessity, {std::to_string(seed), seed}, finding);
      row.push_back(empty_cell(""));
      table.rows.push_back(std::move(row));
    }
    auto row = row_of(analysis, necessity, word_cell("all"), necessity.all_seeds);
    row.push_back(necessity.crossing
                      ? TableCell{fmt::format("{:.2e}", *necessity.crossing), *necessity.crossing}
                      : empty_cell());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sweep
