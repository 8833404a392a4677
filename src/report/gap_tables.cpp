#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/analysis/exact_tests.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string signed_text(double value) { return fmt::format("{:+.3f}", value); }

TableCell seeds_cell(const GapPoint& point) {
  std::vector<std::string> texts;
  Json values = Json::array();
  for (const auto& [seed, finding] : point.per_seed) {
    const double* value = value_of(finding);
    texts.push_back(value != nullptr ? signed_text(*value) : kNothing);
    values.push_back(value != nullptr ? Json(*value) : Json());
  }
  return {join(texts, " "), values};
}

/// The exact sign-flip p of the pairs, two-sided; nothing while a pair is incomplete.
TableCell p_cell(const GapPoint& point) {
  std::vector<PairedDifference> pairs;
  for (const auto& [seed, finding] : point.per_seed) {
    if (const double* value = value_of(finding)) pairs.push_back({seed, *value});
  }
  if (pairs.size() < point.per_seed.size()) return empty_cell();
  const auto result = sign_flip(pairs, Alternative::kTwoSided);
  const auto* test = value_of(result);
  return test != nullptr ? TableCell{fmt::format("{:.3g}", test->p), test->p} : empty_cell();
}

/// The registered ranges that hold this level: "low", "high".
std::string ranges_at(const Definitions& definitions, double x) {
  std::vector<std::string> names;
  for (const auto& range : definitions.ranges) {
    if (x >= range.low && x <= range.high) names.push_back(range.name);
  }
  return join(names, ", ");
}

std::vector<TableCell> row_of(const Analysis& analysis, const Definitions& definitions,
                              const GapPoint& point) {
  std::vector<TableCell> row = {level_cell(analysis.axis, point.x)};
  const Spread* spread = value_of(point.over_seeds);
  if (spread != nullptr) {
    row.push_back({signed_text(spread->mean), spread->mean});
    row.push_back(spread->sd ? TableCell{fmt::format("{:.3f}", *spread->sd), *spread->sd}
                             : empty_cell());
  } else {
    row.insert(row.end(), {empty_cell(), empty_cell()});
  }
  row.push_back(seeds_cell(point));
  row.push_back(p_cell(point));
  row.push_back(word_cell(ranges_at(definitions, point.x)));
  return row;
}

std::string smallest_p(std::size_t seeds) {
  return fmt::format("{:.3g}", std::min(1.0, 2.0 / static_cast<double>(1ULL << seeds)));
}

}  // namespace

std::vector<Table> gap_tables(const Analysis& analysis, const Definitions& definitions) {
  std::vector<Table> tables;
  for (const GapCurve& curve : analysis.gaps) {
    Table table;
    table.name = fmt::format("paired-differences{}{}", stratum_slug(curve.stratum),
                             analysis.arms.size() > 2 ? "-" + curve.subtrahend : "");
    table.title = fmt::format("Paired differences, {} - {}{}", curve.minuend, curve.subtrahend,
                              stratum_suffix(curve.stratum));
    table.note = fmt::format(
        "Difference of the final losses of one seed, nats, each loss taken as min(l, l0) and as l0 "
        "where a run went non-finite; positive: {} is the better one. sd: of the differences, "
        "divisor n - 1. p: exact sign-flip test, two-sided; with {} it cannot fall below {}, and "
        "levels share their seeds: descriptive, not to be pooled.",
        curve.subtrahend, count_of(analysis.seeds.size(), "seed"),
        smallest_p(analysis.seeds.size()));
    table.columns = {{"x", axis_heading(analysis.axis), "", Align::kRight},
                     {"mean", "mean", "", Align::kRight},
                     {"sd", "sd", "", Align::kRight},
                     {"seeds", "seeds", "", Align::kLeft},
                     {"p", "p", "", Align::kRight},
                     {"ranges", "range", "", Align::kLeft}};
    for (const GapPoint& point : curve.points) {
      table.rows.push_back(row_of(analysis, definitions, point));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace sweep
