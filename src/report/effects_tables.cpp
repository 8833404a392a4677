#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

TableCell signed_cell(double value) { return {fmt::format("{:+.3f}", value), value}; }

TableCell p_cell(double p) { return {fmt::format("{:.3g}", p), p}; }

std::string range_text(const Analysis& analysis, const Definitions::Range& range) {
  return fmt::format("{} [{}, {}]", range.name, level_text(analysis.axis, range.low),
                     level_text(analysis.axis, range.high));
}

std::string equivalence_text(const Tost& tost) {
  return fmt::format("p {:.3g} for [{}, {}]; sd {:.3f}, needed < {:.3f}", tost.p(),
                     format_number(tost.margins.low), format_number(tost.margins.high), tost.sd,
                     tost.sd_needed(0.05));
}

std::vector<TableCell> row_of(const Analysis& analysis, const RangeEffect& effect) {
  std::vector<TableCell> row;
  if (has_strata(analysis)) row.push_back(stratum_cell(effect.stratum));
  row.push_back(word_cell(range_text(analysis, effect.range)));
  const Spread* spread = value_of(effect.gap);
  if (spread == nullptr) {
    row.insert(row.end(), {empty_cell(), empty_cell(), empty_cell(), empty_cell(), empty_cell(),
                           word_cell(std::get<Undefined>(effect.gap).reason)});
    return row;
  }
  row.push_back(count_cell(static_cast<std::int64_t>(spread->n)));
  row.push_back(signed_cell(spread->mean));
  row.push_back(effect.half_width_95 ? TableCell{fmt::format("± {:.3f}", *effect.half_width_95),
                                                 *effect.half_width_95}
                                     : empty_cell());
  row.push_back(effect.sign_flip ? p_cell(effect.sign_flip->p) : empty_cell());
  row.push_back(effect.sign_flip ? p_cell(effect.sign_flip->minimum_p) : empty_cell());
  row.push_back(word_cell(effect.equivalence ? equivalence_text(*effect.equivalence) : ""));
  return row;
}

std::string bound_text(const std::optional<double>& bound) {
  return bound ? fmt::format("{:+.3f}", *bound) : "no bound";
}

}  // namespace

Table ranges_table(const Analysis& analysis, const std::vector<RangeEffect>& effects) {
  Table table;
  table.name = "ranges";
  table.title = "Mean difference over the registered ranges";
  table.note = fmt::format(
      "{} - {}, nats: each seed's mean over the levels of the range, then over seeds, with "
      "Student's 95 % half-width. p: exact sign-flip test of the seeds, two-sided, and the "
      "smallest p it could give. Equivalence: two one-sided t tests within the registered margins, "
      "a t procedure that takes differences for normal. Descriptive; verdicts rest on the "
      "registered criteria.",
      analysis.gaps.empty() ? "" : analysis.gaps.front().minuend,
      analysis.gaps.empty() ? "" : analysis.gaps.front().subtrahend);
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.insert(table.columns.end(), {{"range", "range", "", Align::kLeft},
                                             {"n", "n", "", Align::kRight},
                                             {"mean", "mean", "", Align::kRight},
                                             {"half_width", "95 %", "", Align::kRight},
                                             {"p", "p", "", Align::kRight},
                                             {"minimum_p", "smallest", "", Align::kRight},
                                             {"equivalence", "equivalence", "", Align::kLeft}});
  for (const RangeEffect& effect : effects) table.rows.push_back(row_of(analysis, effect));
  return table;
}

Table slopes_table(const std::vector<NecessitySlope>& slopes) {
  Table table;
  table.name = "necessity-slope";
  table.title = "How the necessity threshold moves";
  table.note =
      "Least-squares slope of log10(threshold) on log2(factor) over all seeds, decades per "
      "doubling: the smallest and the largest value that thresholds anywhere within their "
      "intervals of the grid allow. Negative: the treatment is needed from lower levels on.";
  table.columns = {
      {"treatment", "treatment", "", Align::kLeft}, {"factor", "factor", "", Align::kLeft},
      {"n", "thresholds", "", Align::kRight},       {"min", "smallest", "", Align::kRight},
      {"max", "largest", "", Align::kRight},        {"remark", "remark", "", Align::kLeft}};
  for (const NecessitySlope& slope : slopes) {
    std::vector<TableCell> row = {word_cell(slope.treatment), word_cell(slope.factor)};
    if (const auto* bounds = value_of(slope.slope)) {
      const auto cell = [](const std::optional<double>& bound) {
        return TableCell{bound_text(bound), bound ? Json(*bound) : Json()};
      };
      row.insert(row.end(), {count_cell(static_cast<std::int64_t>(bounds->n)), cell(bounds->min),
                             cell(bounds->max), word_cell("")});
    } else {
      row.insert(row.end(), {empty_cell(), empty_cell(), empty_cell(),
                             word_cell(std::get<Undefined>(slope.slope).reason)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sweep
