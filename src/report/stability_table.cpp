#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

TableCell lower_cell(const std::string& axis, const Finding<StableLr>& finding) {
  const StableLr* stable = value_of(finding);
  if (stable == nullptr) return empty_cell("?");
  if (!stable->lower) return empty_cell("none");
  const bool censored = stable->kind == StableLr::Kind::kRightCensored;
  return {(censored ? "≥ " : "") + level_text(axis, *stable->lower), *stable->lower};
}

TableCell upper_cell(const std::string& axis, const Finding<StableLr>& finding) {
  const StableLr* stable = value_of(finding);
  return stable != nullptr && stable->upper ? level_cell(axis, *stable->upper) : empty_cell();
}

std::string remark(const std::string& axis, const Finding<StableLr>& finding) {
  const StableLr* stable = value_of(finding);
  if (stable == nullptr) return std::get<Undefined>(finding).reason;
  std::vector<std::string> parts;
  if (stable->kind == StableLr::Kind::kRightCensored) parts.emplace_back("right-censored");
  if (stable->kind == StableLr::Kind::kNone) parts.emplace_back("the arm's best rate fails");
  if (stable->non_monotone) {
    parts.push_back("NON_MONOTONE, usable again up to " + level_text(axis, *stable->unrestricted));
  }
  return join(parts, "; ");
}

/// The finding of one seed, or of all of them (nullopt).
const Finding<StableLr>* find_seed(const MaxStableLr& max_stable,
                                   std::optional<std::uint64_t> seed) {
  if (!seed) return &max_stable.all_seeds;
  for (const auto& [own, finding] : max_stable.per_seed) {
    if (own == *seed) return &finding;
  }
  return nullptr;
}

void add_arm(std::vector<TableCell>& row, const Analysis& analysis, const CurveAnalysis* one,
             std::optional<std::uint64_t> seed) {
  const auto* finding = one != nullptr ? find_seed(one->max_stable, seed) : nullptr;
  if (finding == nullptr) {
    row.insert(row.end(), {empty_cell(), empty_cell(), empty_cell(), word_cell("not planned")});
    return;
  }
  row.push_back(lower_cell(analysis.axis, *finding));
  row.push_back(upper_cell(analysis.axis, *finding));
  row.push_back(lower_cell(analysis.axis, *find_seed(one->max_stable_strict, seed)));
  row.push_back(word_cell(remark(analysis.axis, *finding)));
}

std::vector<std::optional<std::uint64_t>> seed_rows(const Analysis& analysis) {
  std::vector<std::optional<std::uint64_t>> rows(analysis.seeds.begin(), analysis.seeds.end());
  rows.push_back(std::nullopt);
  return rows;
}

}  // namespace

Table stability_table(const Analysis& analysis, const Definitions& definitions) {
  const std::string title = axis_title(analysis.axis);
  Table table;
  table.name = "max-stable-lr";
  table.title = fmt::format("Max stable {}", title);
  table.note = fmt::format(
      "Upward from the arm's best {}: the last level before the first that is {}, so the value "
      "lies "
      "in [stable to, fails at). \"all\": every seed must be usable (the minimum over n = {}). "
      "≥: the top of the grid is still stable (right-censored). none: the arm's best rate itself "
      "fails. Strict: the same when only diverged runs count as failures.",
      title, definitions.max_stable_lr.failure, count_of(analysis.seeds.size(), "seed"));
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.push_back({"seed", "seed", "", Align::kRight});
  for (const std::string& arm : analysis.arms) {
    table.columns.push_back({arm + "_stable_to", "stable to", arm, Align::kRight});
    table.columns.push_back({arm + "_fails_at", "fails at", arm, Align::kRight});
    table.columns.push_back({arm + "_strict", "strict", arm, Align::kRight});
    table.columns.push_back({arm + "_remark", "remark", arm, Align::kLeft});
  }
  for (const Stratum& stratum : analysis.strata) {
    for (const auto& seed : seed_rows(analysis)) {
      std::vector<TableCell> row;
      if (has_strata(analysis)) row.push_back(stratum_cell(stratum));
      row.push_back(seed ? TableCell{std::to_string(*seed), *seed} : word_cell("all"));
      for (const std::string& arm : analysis.arms) {
        add_arm(row, analysis, find_curve(analysis, arm, stratum), seed);
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace sweep
