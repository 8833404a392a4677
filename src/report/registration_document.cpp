#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string value_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return format_number(value.get<double>());
  return value.dump();
}

/// Paths of fields stay as they are written.
std::string spaced(std::string key) {
  if (key.find('.') != std::string::npos) return key;
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string in_words(const Json& value);

std::string list_words(const Json& list, const char* separator) {
  std::vector<std::string> parts;
  for (const Json& item : list) {
    parts.push_back(item.is_object() ? "(" + in_words(item) + ")" : in_words(item));
  }
  return parts.empty() ? "none" : join(parts, separator);
}

/// A rule as it is registered, read aloud: "all of: (quantity gap, range low, between -0.1, 0.05)".
std::string in_words(const Json& value) {
  if (value.is_array()) return list_words(value, ", ");
  if (!value.is_object()) return value_words(value);
  std::vector<std::string> parts;
  for (const auto& [key, part] : value.items()) {
    if (key == "all" && part.is_array()) {
      parts.push_back(list_words(part, " and "));
    } else if (key == "any" && part.is_array()) {
      parts.push_back(list_words(part, " or "));
    } else {
      parts.push_back(spaced(key) + " " + in_words(part));
    }
  }
  return join(parts, ", ");
}

Table words_table(const std::string& name, const std::string& title,
                  const std::vector<std::string>& columns) {
  Table table;
  table.name = name;
  table.title = title;
  for (const std::string& column : columns) {
    table.columns.push_back({column, column, "", Align::kLeft});
  }
  return table;
}

void add(Table& table, const std::vector<std::string>& words) {
  std::vector<TableCell> row;
  for (const std::string& word : words) row.push_back(word_cell(word));
  table.rows.push_back(std::move(row));
}

Table hypotheses(const Prereg& prereg) {
  Table table =
      words_table("hypotheses", "Hypotheses", {"id", "claim", "supported if", "contradicted if"});
  for (const auto& [id, hypothesis] : prereg.hypotheses.items()) {
    std::vector<std::string> row = {id};
    for (const char* key : {"claim", "supported_if", "contradicted_if"}) {
      row.push_back(hypothesis.contains(key) ? in_words(hypothesis.at(key)) : kNothing);
    }
    add(table, row);
  }
  if (table.rows.empty()) table.note = "None is registered: this sweep describes.";
  return table;
}

Table arms(const Prereg& prereg) {
  Table table = words_table("arms", "Arms", {"arm", "settings"});
  table.note = "The first is the control.";
  if (!prereg.arms_reason.empty()) table.note += " " + prereg.arms_reason;
  for (const Arm& arm : prereg.arms) {
    std::vector<std::string> settings;
    for (const auto& [path, value] : arm.settings) {
      settings.push_back(path + " " + in_words(to_json(value)));
    }
    add(table, {arm.name, join(settings, ", ")});
  }
  return table;
}

std::string level_text_of(const Factor& factor, const std::vector<Value>& level) {
  if (factor.paths.size() == 1 && factor.paths[0] == kLearningRate) {
    if (const auto* rate = std::get_if<double>(&level[0])) return format_lr(*rate);
  }
  std::vector<std::string> parts;
  for (const Value& value : level) parts.push_back(in_words(to_json(value)));
  return join(parts, ":");
}

std::string role_of(const Prereg& prereg, const Factor& factor) {
  return factor.name == prereg.roles.axis ? "axis" : "stratum";
}

Table grid(const Prereg& prereg) {
  Table table = words_table("grid", "Grid", {"line", "role", "n", "levels"});
  std::size_t runs = prereg.arms.size() * prereg.seeds.size();
  for (const Factor& factor : prereg.grid) {
    runs *= factor.levels.size();
    std::vector<std::string> levels;
    for (const auto& level : factor.levels) levels.push_back(level_text_of(factor, level));
    const bool linked = factor.paths.size() > 1;
    const std::string name =
        linked ? fmt::format("{} ({})", factor.name, join(factor.paths, ":")) : factor.name;
    add(table,
        {name, role_of(prereg, factor), std::to_string(factor.levels.size()), join(levels, ", ")});
  }
  add(table, {"seed", "replicate", std::to_string(prereg.seeds.size()),
              fmt::format("{}", fmt::join(prereg.seeds, ", "))});
  table.note = fmt::format("Every level of every line with every other, for each arm: {}.",
                           count_of(runs, "run"));
  return table;
}

std::set<std::string> varied(const Prereg& prereg) {
  std::set<std::string> paths;
  for (const Factor& factor : prereg.grid) paths.insert(factor.paths.begin(), factor.paths.end());
  for (const Arm& arm : prereg.arms) {
    for (const auto& [path, value] : arm.settings) paths.insert(path);
  }
  return paths;
}

Table held_fixed(const Prereg& prereg) {
  Table table = words_table("held-fixed", "Held fixed", {"setting", "value", "unit", "meaning"});
  table.note = "Every setting that neither arms nor grid vary.";
  const auto not_fixed = varied(prereg);
  for (const Field& field : config_fields()) {
    if (not_fixed.contains(field.path)) continue;
    add(table, {field.path, in_words(to_json(field.get(prereg.base))), field.unit, field.help});
  }
  return table;
}

/// The definitions in words, then every decision as it is registered.
std::vector<Table> definitions(const Prereg& prereg) {
  Table decisions = words_table("decisions", "Definitions, each decision", {"term", "decision"});
  decisions.note = "As registered; formulas and sources stand in docs/definitions.md.";
  const Json all = to_json(prereg.definitions);
  for (const auto& [key, rule] : all.items()) {
    add(decisions, {spaced(key), rule.is_null() ? "not set" : in_words(rule)});
  }
  return {definitions_table(prereg.definitions), decisions};
}

void add_items(Table& table, const Json& json) {
  for (const auto& [key, value] : json.items()) add(table, {spaced(key), in_words(value)});
}

Table analysis_plan(const Prereg& prereg) {
  Table table = words_table("analysis", "Analysis plan", {"part", "decision"});
  add_items(table, prereg.analysis);
  if (!prereg.pilot.is_null()) add(table, {"pilot", in_words(prereg.pilot)});
  if (!prereg.robustness.is_null()) add(table, {"robustness", in_words(prereg.robustness)});
  if (table.rows.empty()) table.note = "Nothing beyond the definitions.";
  return table;
}

Table undecided(const Placeholders& places) {
  Table table = words_table("undecided", "Undecided", {"line", "place"});
  table.note = "'sweep register' refuses the file until each of these is filled in.";
  for (const Problem& place : places) add(table, {std::to_string(place.line), place.key});
  return table;
}

Table registered(const RegistrationDocument& document) {
  const Lock& lock = *document.lock;
  Table table = words_table("registration", "Registration", {"what", "value"});
  add(table, {"registered at", lock.registered_at + " (this machine's clock)"});
  add(table, {"runs", std::to_string(lock.planned)});
  add(table, {"SHA-256 of the file", lock.prereg_hash});
  add(table, {"SHA-256 of the plan", lock.plan_hash});
  for (const auto& [key, value] : lock.code.items()) {
    add(table, {"code, " + spaced(key), in_words(value)});
  }
  for (const auto& [name, hash] : lock.data) add(table, {"data/" + name, hash});
  for (const Anchor& anchor : document.history.anchors) {
    add(table, {"anchor of " + anchor.link.name, describe(anchor)});
  }
  return table;
}

std::vector<Table> tables_of(const RegistrationDocument& document) {
  const Prereg& prereg = document.prereg;
  std::vector<Table> tables;
  if (document.lock != nullptr) tables.push_back(registered(document));
  if (!document.undecided.empty()) tables.push_back(undecided(document.undecided));
  tables.insert(tables.end(), {hypotheses(prereg), arms(prereg), grid(prereg)});
  for (Table& table : definitions(prereg)) tables.push_back(std::move(table));
  tables.insert(tables.end(), {analysis_plan(prereg), held_fixed(prereg)});
  for (Table& table : amendment_tables(document.history)) tables.push_back(std::move(table));
  return tables;
}

}  // namespace

std::string registration_markdown(const RegistrationDocument& document) {
  const Prereg& prereg = document.prereg;
  std::string text = fmt::format("# {}\n\n{}\n\n", prereg.title, prereg.question);
  if (document.lock == nullptr) text += "**Draft: not registered.**\n\n";
  for (const Table& table : tables_of(document)) text += to_markdown(table) + "\n";
  return text +
         "## Signatures\n\n"
         "| name | role | date | signature |\n"
         "| :-- | :-- | :-- | :-- |\n"
         "|  | author |  |  |\n"
         "|  | supervisor |  |  |\n";
}

}  // namespace sweep
