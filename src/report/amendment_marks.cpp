#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// A run that an amendment added to the main block, or took out of it.
struct TouchedRun {
  Json x;
  Json stratum;
  std::string arm;
  std::uint64_t seed = 0;
  int amendment = 0;
  bool added = false;
};

TouchedRun touched(const RunSpec& spec, const Roles& roles, int amendment, bool added) {
  TouchedRun run{nullptr, to_json(stratum_of(spec, roles)), spec.arm, spec.seed, amendment, added};
  for (const Level& level : spec.levels) {
    if (level.factor == roles.axis) run.x = level.value;
  }
  return run;
}

std::vector<TouchedRun> touched_runs(const ReportInputs& inputs, const AmendmentEffect& effect) {
  std::vector<TouchedRun> runs;
  const Roles& roles = inputs.prereg.roles;
  for (const RunRecord& record : inputs.records) {
    const auto found = effect.added.find(record.spec.id);
    if (found == effect.added.end() || record.spec.block != kMainBlock) continue;
    runs.push_back(touched(record.spec, roles, found->second.amendment, true));
  }
  for (const RunSpec& spec : inputs.history.removed) {
    const auto found = effect.removed.find(spec.id);
    if (found == effect.removed.end() || spec.block != kMainBlock) continue;
    runs.push_back(touched(spec, roles, found->second.amendment, false));
  }
  return runs;
}

/// Where in a table a row says what it is about.
struct KeyColumns {
  std::optional<std::size_t> x;
  std::optional<std::size_t> stratum;
  std::optional<std::size_t> arm;
  std::optional<std::size_t> seed;
  Json fixed_stratum;  ///< of a table that is about one
  bool one_stratum = false;
};

std::optional<std::size_t> column_named(const Table& table, const std::string& key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return i;
  }
  return std::nullopt;
}

/// What a level is in a table that also names arms.
enum class LevelBesideArm { kFinding, kSubject };

KeyColumns keys_of(const Table& table, const Analysis& analysis, LevelBesideArm level) {
  KeyColumns keys{column_named(table, "x"),
                  column_named(table, "stratum"),
                  column_named(table, "arm"),
                  column_named(table, "seed"),
                  nullptr,
                  false};
  if (keys.arm && level == LevelBesideArm::kFinding) keys.x.reset();
  for (const Stratum& stratum : analysis.strata) {
    const std::string slug = stratum_slug(stratum);
    if (slug.empty() || !table.name.ends_with(slug)) continue;
    keys.fixed_stratum = to_json(stratum);
    keys.one_stratum = true;
  }
  return keys;
}

bool is_about(const std::vector<TableCell>& row, const KeyColumns& keys, const TouchedRun& run) {
  // Words in the place of a level ("low", "best"): a row over several of them.
  const bool one_level = keys.x && row[*keys.x].value.is_number();
  if (one_level && (row[*keys.x].value != run.x || !run.added)) return false;
  if (keys.stratum && row[*keys.stratum].value != run.stratum) return false;
  if (keys.one_stratum && keys.fixed_stratum != run.stratum) return false;
  if (keys.arm && row[*keys.arm].value != run.arm) return false;
  const bool one_seed = keys.seed && row[*keys.seed].value.is_number();
  return !one_seed || row[*keys.seed].value == run.seed;
}

std::string mark(int amendment) { return fmt::format("[A{}]", amendment); }

std::string explained(const Amendment& amendment) {
  return fmt::format("{}: touched by amendment {}, made when {}.", mark(amendment.number),
                     amendment.number, in_words(amendment.seen));
}

/// Amendments that the table's rows were touched by; writes the marks.
std::set<int> mark_rows(Table& table, const std::vector<TouchedRun>& runs, const KeyColumns& keys) {
  std::set<int> all;
  for (auto& row : table.rows) {
    std::set<int> here;
    for (const TouchedRun& run : runs) {
      if (is_about(row, keys, run)) here.insert(run.amendment);
    }
    TableCell& place = row[keys.x ? *keys.x : keys.arm.value_or(0)];
    for (const int amendment : here) place.text += " " + mark(amendment);
    table.amendments.emplace_back(here.begin(), here.end());
    all.merge(here);
  }
  if (all.empty()) table.amendments.clear();
  return all;
}

/// Verdicts say themselves what touched them, and thresholds are those of the literature.
bool rests_on_no_run(const Table& table) {
  return table.name == "verdicts" || table.name == "mechanism-thresholds";
}

/// "unusable [A2]"
std::string amended_definitions(const AmendmentEffect& effect, std::set<int>& used) {
  std::vector<std::string> parts;
  for (const auto& [key, touch] : effect.definitions) {
    parts.push_back(fmt::format("{} {}", key, mark(touch.amendment)));
    used.insert(touch.amendment);
  }
  return parts.empty() ? "" : fmt::format(" Amended definitions: {}.", join(parts, ", "));
}

}  // namespace

void mark_amended(std::vector<Table>& tables, const ReportInputs& inputs,
                  const Analysis& analysis) {
  const auto& amendments = inputs.history.amendments;
  const AmendmentEffect effect = effect_of(amendments);
  const auto runs = touched_runs(inputs, effect);
  if (runs.empty() && effect.definitions.empty()) return;
  for (Table& table : tables) {
    if (rests_on_no_run(table)) continue;
    const KeyColumns keys = keys_of(table, analysis, LevelBesideArm::kFinding);
    std::set<int> used = mark_rows(table, runs, keys);
    table.note += amended_definitions(effect, used);
    for (const Amendment& amendment : amendments) {
      if (used.contains(amendment.number)) table.note += " " + explained(amendment);
    }
  }
}

void mark_amended(std::vector<Figure>& figures, const ReportInputs& inputs,
                  const Analysis& analysis) {
  const AmendmentEffect effect = effect_of(inputs.history.amendments);
  const auto runs = touched_runs(inputs, effect);
  for (Figure& figure : figures) {
    const KeyColumns keys = keys_of(figure.data, analysis, LevelBesideArm::kSubject);
    std::set<int> used = mark_rows(figure.data, runs, keys);
    for (const TouchedRun& run : runs) {
      const bool elsewhere = keys.one_stratum && keys.fixed_stratum != run.stratum;
      if (!elsewhere) used.insert(run.amendment);
    }
    for (const auto& [key, touch] : effect.definitions) used.insert(touch.amendment);
    if (used.empty()) continue;
    std::vector<std::string> marks;
    for (const int amendment : used) marks.push_back(mark(amendment));
    if (!figure.stamp.empty()) figure.stamp += "; ";
    figure.stamp += "amended: " + join(marks, ", ");
  }
}

Table with_amended_definitions(Table table, const History& history) {
  std::set<int> used;
  table.note += amended_definitions(effect_of(history.amendments), used);
  return table;
}

Table with_amendment_column(Table runs, const History& history) {
  const AmendmentEffect effect = effect_of(history.amendments);
  const auto id = column_named(runs, "id");
  if (effect.added.empty() || !id) return runs;
  runs.columns.push_back({"amendment", "amendment", "", Align::kRight});
  for (auto& row : runs.rows) {
    const auto found = effect.added.find(row[*id].text);
    row.push_back(found == effect.added.end() ? empty_cell() : count_cell(found->second.amendment));
  }
  return runs;
}

}  // namespace sweep
