#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kShownIds = 6;

std::string value_words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "train.learning_rate 3e-2, model.n_layer 4"
std::string cell_words(const RunSpec& spec) {
  std::vector<std::string> parts;
  for (const Level& level : spec.levels) {
    const bool number = level.value.is_number();
    parts.push_back(
        level.factor + " " +
        (number ? level_text(level.factor, level.value.get<double>()) : value_words(level.value)));
  }
  return join(parts, ", ");
}

/// What an exploratory run is cannot be told from levels alone, since its grid may be another.
std::string row_words(const RunSpec& spec) {
  if (spec.block != kExploratoryBlock) return cell_words(spec);
  const auto hash = spec.id.rfind('-');
  const std::string words = spec.id.substr(0, hash).substr(0, spec.id.rfind("-s", hash));
  return words.starts_with(spec.arm + "-") ? words.substr(spec.arm.size() + 1) : words;
}

TableCell loss_cell(const RunRecord& record) {
  if (!record.result) return empty_cell();
  const RunResult& result = *record.result;
  if (result.outcome.kind == RunOutcome::Kind::kNonfinite) {
    return empty_cell(fmt::format("non-finite at {}", result.outcome.step));
  }
  return {loss_text(result.final_val_loss), result.final_val_loss};
}

std::vector<std::string> blocks_of(const std::vector<RunRecord>& records) {
  std::vector<std::string> blocks;
  for (const RunRecord& record : records) {
    const std::string& block = record.spec.block;
    if (block == kMainBlock) continue;
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
  }
  return blocks;
}

std::vector<std::string> arms_of(const std::vector<RunRecord>& records, const std::string& block) {
  std::vector<std::string> arms;
  for (const RunRecord& record : records) {
    if (record.spec.block != block) continue;
    if (std::find(arms.begin(), arms.end(), record.spec.arm) == arms.end()) {
      arms.push_back(record.spec.arm);
    }
  }
  return arms;
}

std::size_t index_of(const std::vector<std::string>& list, const std::string& item) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), item) - list.begin());
}

/// One row per pair: the arms' losses beside each other.
void add_pairs(Table& table, const std::vector<RunRecord>& records, const std::string& block,
               const std::vector<std::string>& arms) {
  std::map<std::string, std::size_t> rows;
  for (const RunRecord& record : records) {
    if (record.spec.block != block) continue;
    const std::string words = row_words(record.spec);
    const std::string key = fmt::format("{} seed {}", words, record.spec.seed);
    const auto [row, fresh] = rows.emplace(key, table.rows.size());
    if (fresh) {
      table.rows.push_back(
          {word_cell(words), {std::to_string(record.spec.seed), record.spec.seed}});
      table.rows.back().resize(2 + arms.size(), empty_cell());
    }
    table.rows[row->second][2 + index_of(arms, record.spec.arm)] = loss_cell(record);
  }
}

/// "train.warmup_iters 3"
std::string change_of(const std::string& block) {
  const std::string prefix = kRobustnessPrefix;
  return block.starts_with(prefix) ? block.substr(prefix.size()) : block;
}

Table block_table(const ReportInputs& inputs, const std::string& block, std::size_t number) {
  const bool exploratory = block == kExploratoryBlock;
  Table table;
  table.name = exploratory ? "exploratory" : fmt::format("robustness-{}", number);
  table.title =
      exploratory ? "Exploratory runs, outside the plan" : "Robustness under " + change_of(block);
  table.note = exploratory
                   ? "EXPLORATORY: these runs were added after registration; no finding or verdict "
                     "rests on them. "
                   : "Registered as secondary: no finding or verdict rests on these runs. ";
  table.note += "Final validation loss in nats per token, one row per seed.";
  const auto arms = arms_of(inputs.records, block);
  table.columns = {{"cell", exploratory ? "exploratory run" : "cell", "", Align::kLeft},
                   {"seed", "seed", "", Align::kRight}};
  for (const std::string& arm : arms) table.columns.push_back({arm, arm, "", Align::kRight});
  add_pairs(table, inputs.records, block, arms);
  return table;
}

TableCell ids_cell(const std::vector<std::string>& ids) {
  const std::size_t shown = std::min(ids.size(), kShownIds);
  std::string text = count_of(ids.size(), "run") + ": " + join(std::span(ids).first(shown), ", ");
  if (ids.size() > shown) text += fmt::format(" and {} more", ids.size() - shown);
  return {text, ids};
}

std::vector<std::string> ids_of(const std::vector<RunSpec>& specs) {
  std::vector<std::string> ids;
  for (const RunSpec& spec : specs) ids.push_back(spec.id);
  return ids;
}

void add_amendment(Table& table, const Amendment& a) {
  const auto add = [&](const std::string& what, const TableCell& value) {
    table.rows.push_back({word_cell(fmt::format("A{}", a.number)), word_cell(what), value});
  };
  const auto add_text = [&](const std::string& what, const std::string& text) {
    if (!text.empty()) add(what, word_cell(text));
  };
  add_text("made", fmt::format("{}, {}", a.time, to_string(a.kind)));
  add_text("known then", in_words(a.seen));
  add_text("what", a.what);
  add_text("why", a.why);
  add_text("impact", a.impact);
  for (const std::string& difference : a.differences) add_text("difference", difference);
  if (!a.added.empty()) add("added", ids_cell(ids_of(a.added)));
  if (!a.removed.empty()) add("taken out, kept on disk", ids_cell(a.removed));
  if (!a.set_aside.empty()) add("set aside, trained anew", ids_cell(a.set_aside));
}

}  // namespace

std::vector<Table> block_tables(const ReportInputs& inputs) {
  std::vector<Table> tables;
  for (const std::string& block : blocks_of(inputs.records)) {
    tables.push_back(block_table(inputs, block, tables.size() + 1));
  }
  return tables;
}

std::vector<Table> amendment_tables(const History& history) {
  if (history.amendments.empty()) return {};
  Table table;
  table.name = "amendments";
  table.title = "Amendments to the registration";
  table.note =
      "Each holds the hash of the one before it ('sweep verify' checks the chain). [A1] in a table "
      "marks what amendment 1 touched; editorial and exploratory ones touch nothing.";
  table.columns = {{"amendment", "", "", Align::kLeft},
                   {"what", "", "", Align::kLeft},
                   {"value", "", "", Align::kLeft}};
  for (const Amendment& amendment : history.amendments) add_amendment(table, amendment);
  return {table};
}

std::vector<Table> note_tables(const History& history) {
  if (history.notes.empty()) return {};
  Table table;
  table.name = "notes";
  table.title = "Exploratory notes";
  table.note = "Written while the sweep went on; outside the registration.";
  table.columns = {{"time", "time", "", Align::kLeft},
                   {"known", "known then", "", Align::kLeft},
                   {"note", "note", "", Align::kLeft}};
  for (const Note& note : history.notes) {
    table.rows.push_back({word_cell(note.time), word_cell(note.known), word_cell(note.text)});
  }
  return {table};
}

}  // namespace sweep
