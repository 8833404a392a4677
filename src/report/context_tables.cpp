#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kShownMissing = 12;

Table key_value_table(const std::string& name, const std::string& title) {
  Table table;
  table.name = name;
  table.title = title;
  table.columns = {{"what", "", "", Align::kLeft}, {"value", "", "", Align::kLeft}};
  return table;
}

void add(Table& table, const std::string& what, const TableCell& value) {
  table.rows.push_back({word_cell(what), value});
}

std::vector<const RunSpec*> main_specs(const ReportInputs& inputs) {
  std::vector<const RunSpec*> specs;
  for (const RunRecord& record : inputs.records) {
    if (record.spec.block == "main") specs.push_back(&record.spec);
  }
  return specs;
}

std::string value_text(const Value& value) {
  const Json json = to_json(value);
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return format_number(json.get<double>());
  if (!json.is_array()) return json.dump();
  std::vector<std::string> parts;
  for (const Json& part : json) {
    parts.push_back(part.is_string() ? part.get<std::string>() : part.dump());
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

TableCell value_cell(const Value& value) { return {value_text(value), to_json(value)}; }

/// What a field is set to in the runs that `chosen` picks, each value once.
template <typename Predicate>
std::vector<Value> values_of(const Field& field, const std::vector<const RunSpec*>& specs,
                             Predicate chosen) {
  std::vector<Value> values;
  for (const RunSpec* spec : specs) {
    if (!chosen(*spec)) continue;
    Value value = field.get(spec->config);
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

using RunPair = std::pair<const RunSpec*, const RunSpec*>;

/// Runs with equal levels and seed, each matched with the first of its kind.
std::vector<RunPair> pairs_of(const std::vector<const RunSpec*>& specs) {
  std::map<std::string, const RunSpec*> first;
  std::vector<RunPair> pairs;
  for (const RunSpec* spec : specs) {
    Json key = spec->seed;
    for (const Level& level : spec->levels) key = {key, level.factor, level.value};
    const auto [found, is_new] = first.emplace(to_line(key), spec);
    if (!is_new) pairs.emplace_back(found->second, spec);
  }
  return pairs;
}

bool differs_within_a_pair(const Field& field, const std::vector<RunPair>& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const RunPair& pair) {
    return field.get(pair.first->config) != field.get(pair.second->config);
  });
}

/// Pairs of which both runs are finished.
std::vector<std::pair<const RunRecord*, const RunRecord*>> finished_pairs(
    const ReportInputs& inputs) {
  std::map<const RunSpec*, const RunRecord*> finished;
  for (const RunRecord& record : inputs.records) {
    if (record.result) finished[&record.spec] = &record;
  }
  std::vector<std::pair<const RunRecord*, const RunRecord*>> pairs;
  for (const auto& [a, b] : pairs_of(main_specs(inputs))) {
    if (finished.contains(a) && finished.contains(b)) {
      pairs.emplace_back(finished.at(a), finished.at(b));
    }
  }
  return pairs;
}

ModelConfig model_of(const RunSpec& spec) {
  ModelConfig model = spec.config.model;
  if (model.vocab_size == 0) model.vocab_size = spec.data.vocab_size;
  return model;
}

std::vector<TableCell> parameters_row(const Analysis& analysis, const CurveAnalysis& one,
                                      const RunSpec& spec) {
  const ParameterCounts counts = count_parameters(model_of(spec));
  std::vector<TableCell> row;
  if (has_strata(analysis)) row.push_back(stratum_cell(one.curve.stratum));
  row.push_back(word_cell(one.curve.arm));
  for (const auto count : {counts.total, counts.nanogpt, counts.non_embedding, counts.qk_norm}) {
    row.push_back(count_cell(count));
  }
  return row;
}

const RunSpec* find_spec(const std::vector<const RunSpec*>& specs, const std::string& id) {
  for (const RunSpec* spec : specs) {
    if (spec->id == id) return spec;
  }
  return nullptr;
}

std::string levels_text(const Analysis& analysis) {
  std::set<double> levels;
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) levels.insert(cell.x);
  }
  std::vector<std::string> parts;
  for (const double x : levels) parts.push_back(level_text(analysis.axis, x));
  return join(parts, ", ");
}

std::string strata_text(const Analysis& analysis) {
  std::vector<std::string> parts;
  for (const Stratum& stratum : analysis.strata) parts.push_back(to_words(stratum));
  return join(parts, "; ");
}

std::string seeds_text(const Analysis& analysis) {
  return fmt::format("{}", fmt::join(analysis.seeds, ", "));
}

TableCell missing_cell(const std::vector<std::string>& ids) {
  if (ids.empty()) return {"none", Json::array()};
  std::vector<std::string> shown(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kShownMissing)));
  std::string text = join(shown, ", ");
  if (ids.size() > shown.size()) text += fmt::format(" and {} more", ids.size() - shown.size());
  return {text, ids};
}

/// Runs that no finding rests on, by block: planned and finished.
void add_other_blocks(Table& table, const std::vector<RunRecord>& records) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> blocks;
  for (const RunRecord& record : records) {
    if (record.spec.block == "main") continue;
    auto& [planned, finished] = blocks[record.spec.block];
    ++planned;
    if (record.result) ++finished;
  }
  for (const auto& [block, counts] : blocks) {
    const bool planned = block != kExploratoryBlock;
    add(table, planned ? "of these in block " + block : "outside the plan, exploratory",
        word_cell(fmt::format("{} of {} finished; no finding rests on them", counts.second,
                              count_of(counts.first, "run"))));
  }
}

TableCell hash_cell(const std::string& hash) { return {hash.substr(0, 12), hash}; }

std::string json_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

void add_corpus_facts(Table& table, const CorpusFacts& facts) {
  add(table, "text", word_cell(facts.description));
  add(table, "tokens are", word_cell(facts.tokenizer + "s"));
  add(table, "vocabulary", count_cell(facts.vocab_size));
  add(table, "training tokens", count_cell(facts.train_tokens));
  add(table, "held-out tokens", count_cell(facts.val_tokens));
  add(table, "characters per held-out token", number_cell(facts.chars_per_token, 3));
}

void add_floors(Table& table, const CorpusFacts& facts, const CorpusFloors& floors) {
  add(table, "uniform floor (ln V)", number_cell(floors.uniform, 3));
  add(table, "unigram floor", number_cell(floors.unigram, 3));
  add(table, "bigram floor", number_cell(floors.bigram, 3));
  if (std::isfinite(facts.known_entropy)) {
    add(table, "entropy rate of the source", number_cell(facts.known_entropy, 3));
  }
  add(table, "SHA-256 of the tokens", hash_cell(facts.hash));
}

}  // namespace

Table completeness_table(const ReportInputs& inputs, const Analysis& analysis) {
  Table table = key_value_table("plan", "What was planned and what is there");
  std::vector<std::string> missing;
  std::size_t planned = 0;
  for (const RunRecord& record : inputs.records) {
    if (record.spec.block == kExploratoryBlock) continue;
    ++planned;
    if (!record.result) missing.push_back(record.spec.id);
  }
  add(table, "arms", word_cell(join(analysis.arms, ", ")));
  add(table, axis_title(analysis.axis), word_cell(levels_text(analysis)));
  if (has_strata(analysis)) add(table, "strata", word_cell(strata_text(analysis)));
  add(table, "seeds", word_cell(seeds_text(analysis)));
  add(table, "runs planned", count_cell(static_cast<std::int64_t>(planned)));
  add(table, "runs finished", count_cell(static_cast<std::int64_t>(planned - missing.size())));
  add(table, "runs missing", missing_cell(missing));
  add_other_blocks(table, inputs.records);
  add(table, "looks before completion", count_cell(static_cast<std::int64_t>(inputs.peeks)));
  return table;
}

Table parameters_table(const ReportInputs& inputs, const Analysis& analysis) {
  Table table;
  table.name = "parameters";
  table.title = "Parameters";
  table.note =
      "Non-embedding: without token and position tables and an untied head. nanoGPT's count: the "
      "total without the position table. What QK-norm adds is contained in all three.";
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.insert(table.columns.end(), {{"arm", "arm", "", Align::kLeft},
                                             {"total", "total", "", Align::kRight},
                                             {"nanogpt", "nanoGPT's count", "", Align::kRight},
                                             {"non_embedding", "non-embedding", "", Align::kRight},
                                             {"qk_norm", "of QK-norm", "", Align::kRight}});
  const auto specs = main_specs(inputs);
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) {
      auto row = parameters_row(analysis, one, *find_spec(specs, cell.runs.front().id));
      if (table.rows.empty() || table.rows.back() != row) table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table arms_table(const ReportInputs& inputs) {
  Table table;
  table.name = "arms";
  table.title = "What the arms differ in";
  table.columns = {{"setting", "setting", "", Align::kLeft}};
  for (const Arm& arm : inputs.prereg.arms) {
    table.columns.push_back({arm.name, arm.name, "", Align::kLeft});
  }
  const auto specs = main_specs(inputs);
  const auto pairs = pairs_of(specs);
  for (const Field& field : config_fields()) {
    if (!differs_within_a_pair(field, pairs)) continue;
    std::vector<TableCell> row = {word_cell(field.path)};
    for (const Arm& arm : inputs.prereg.arms) {
      const auto values =
          values_of(field, specs, [&](const RunSpec& spec) { return spec.arm == arm.name; });
      row.push_back(values.size() == 1 ? value_cell(values[0]) : empty_cell("varies"));
    }
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "All other {} settings are equal within every pair of runs (same levels, same seed).",
      config_fields().size() - table.rows.size());
  if (!inputs.prereg.arms_reason.empty()) table.note += " " + inputs.prereg.arms_reason;
  return table;
}

Table isolation_table(const ReportInputs& inputs) {
  Table table = key_value_table("isolation", "What the runs of a pair share");
  table.note =
      "Pairs: runs with the same levels and seed. Hashes were taken by the trainer of each run: of "
      "its initial weights (those that every arm has), and of all windows it trained on.";
  const Json& numerics = inputs.lock.numeric_identity;
  if (!numerics.value("reproducible", true)) {
    table.note += fmt::format(
        " Equal runs on {} need not come out equal to the last bit: another training of the same "
        "plan may move a number, and a cell at the edge of stability.",
        numerics.value("device", ""));
  }
  const auto pairs = finished_pairs(inputs);
  const auto shared = [&](const std::string& what, const auto& of) {
    const auto equal = std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return !of(*pair.first).empty() && of(*pair.first) == of(*pair.second);
    });
    add(table, what,
        {fmt::format("equal in {} of {}", equal, count_of(pairs.size(), "pair")),
         Json::array({equal, pairs.size()})});
  };
  shared("initial weights", [](const RunRecord& r) { return r.result->shared_init_hash; });
  shared("training windows, in order", [](const RunRecord& r) { return r.result->batches_hash; });
  shared("tokens", [](const RunRecord& r) { return r.spec.data.hash; });
  shared("numerics", [](const RunRecord& r) { return r.result->numeric_identity; });
  return table;
}

Table fixed_table(const ReportInputs& inputs) {
  Table table;
  table.name = "held-fixed";
  table.title = "Held fixed";
  table.note = "Settings that are the same in every run.";
  table.columns = {{"setting", "setting", "", Align::kLeft},
                   {"value", "value", "", Align::kLeft},
                   {"unit", "unit", "", Align::kLeft}};
  const auto specs = main_specs(inputs);
  for (const Field& field : config_fields()) {
    const auto values = values_of(field, specs, [](const RunSpec&) { return true; });
    if (values.size() != 1) continue;
    table.rows.push_back({word_cell(field.path), value_cell(values[0]), word_cell(field.unit)});
  }
  return table;
}

std::vector<Table> corpus_tables(const ReportInputs& inputs) {
  std::vector<Table> tables;
  std::set<std::string> seen;
  for (const RunSpec* spec : main_specs(inputs)) {
    const std::string key = floor_key(*spec);
    if (!seen.insert(key).second) continue;
    const bool first = tables.empty();
    const std::string name = first ? "corpus" : fmt::format("corpus-{}", tables.size() + 1);
    Table table = key_value_table(name, first ? "Corpus" : "Another corpus");
    const auto evaluated = eval_windows(spec->data.val_tokens, spec->config.measure.eval_tokens,
                                        spec->config.model.block_size) *
                           spec->config.model.block_size;
    table.note =
        "Floors, in nats per token: cross-entropy of models that only count (add-one counts of the "
        "training part), on exactly the evaluated tokens.";
    add_corpus_facts(table, spec->data);
    add(table, "evaluated tokens", count_cell(evaluated));
    add_floors(table, spec->data, inputs.floors.at(key));
    tables.push_back(std::move(table));
  }
  return tables;
}

Table provenance_table(const ReportInputs& inputs) {
  Table table = key_value_table("provenance", "Where this comes from");
  table.note = "Hashes are the first 12 digits of SHA-256; report.json has them whole.";
  add(table, "pre-registration", hash_cell(inputs.lock.prereg_hash));
  add(table, "plan", hash_cell(inputs.lock.plan_hash));
  if (!inputs.lock.pilot_hash.empty()) add(table, "pilot", hash_cell(inputs.lock.pilot_hash));
  add(table, "registered at", word_cell(inputs.lock.registered_at));
  for (const auto& [key, value] : inputs.lock.code.items()) {
    add(table, "code, " + key, {json_words(value), value});
  }
  for (const auto& [key, value] : inputs.lock.numeric_identity.items()) {
    if (key != "schema_version") add(table, "numeric, " + key, {json_words(value), value});
  }
  for (const Anchor& anchor : inputs.history.anchors) {
    add(table, "anchor of " + anchor.link.name, word_cell(describe(anchor)));
  }
  if (inputs.history.anchors.empty()) {
    add(table, "anchors", word_cell("none: the date above is this machine's word"));
  }
  return table;
}

}  // namespace sweep
