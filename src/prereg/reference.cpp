#include "sweep/prereg/reference.h"

#include <fmt/format.h>

#include <cmath>

#include "prereg/rules.h"
#include "sweep/base/text.h"
#include "sweep/prereg/gates.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {
namespace {

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string default_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return format_number(value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(default_words(item));
  return "[" + join(items, ", ") + "]";
}

std::string type_words(const Value& value) {
  switch (value.index()) {
    case 0:
      return "true or false";
    case 1:
      return "whole number";
    case 2:
      return "number";
    case 3:
      return "word";
    default:
      return "list";
  }
}

template <typename Owner>
std::string range_words(const FieldOf<Owner>& field, const Value& value) {
  if (!field.choices.empty()) return join(field.choices, ", ");
  std::string words = type_words(value);
  if (!std::isinf(field.min)) words += ", from " + format_number(field.min);
  if (!std::isinf(field.max) && field.max < 1e9) words += " to " + format_number(field.max);
  return words;
}

template <typename Owner>
std::string field_table(std::span<const FieldOf<Owner>> fields, const std::string& section,
                        const Owner& defaults) {
  std::string text =
      "| key | what | value | unit | default | in run ids |\n|---|---|---|---|---|---|\n";
  for (const auto& field : fields) {
    if (field.path.rfind(section + ".", 0) != 0) continue;
    const Value value = field.get(defaults);
    text += fmt::format("| `{}` | {} | {} | {} | {} | `{}` |\n", field.path, cell(field.help),
                        cell(range_words(field, value)), field.unit, default_words(to_json(value)),
                        field.label);
  }
  return text + "\n";
}

void add_rows(const std::string& path, const Shape& shape, bool required, const Json& defaults,
              std::string& text) {
  if (!shape.keys().empty()) {
    for (const Key& key : shape.keys()) {
      const bool there = defaults.is_object() && defaults.contains(key.name);
      add_rows(path + "." + key.name, key.shape, key.required,
               there ? defaults.at(key.name) : Json(), text);
    }
    return;
  }
  const bool none = defaults.is_null() || defaults.is_object();
  const std::string fallback = required ? "required" : none ? "" : default_words(defaults);
  text += fmt::format("| `{}` | {} | {} |\n", path, cell("`" + shape.form() + "`"), fallback);
}

std::string shape_table(const std::string& path, const Shape& shape, const Json& defaults = {}) {
  std::string text = "| key | value | default |\n|---|---|---|\n";
  add_rows(path, shape, false, defaults, text);
  return text + "\n";
}

std::string definitions_table() {
  std::string text = "| key | value | default |\n|---|---|---|\n";
  Definitions all = default_definitions();
  all.gap.emplace();
  all.convergence.emplace();
  const Json defaults = to_json(all);
  for (const Key& key : definition_keys({})) {
    add_rows("definitions." + key.name, key.shape, false,
             defaults.contains(key.name) ? defaults.at(key.name) : Json(), text);
  }
  return text + "\n";
}

const char* use_words(QuantityRule::Use use) {
  switch (use) {
    case QuantityRule::Use::kMust:
      return "must";
    case QuantityRule::Use::kMay:
      return "may";
    case QuantityRule::Use::kNo:
      break;
  }
  return "no";
}

const char* arm_words(QuantityRule::ArmUse use) {
  switch (use) {
    case QuantityRule::ArmUse::kRequired:
      return "must";
    case QuantityRule::ArmUse::kTreatment:
      return "may: the one compared with the control";
    case QuantityRule::ArmUse::kNone:
      break;
  }
  return "no: its definition names them";
}

std::string quantities_table() {
  std::string text = "| quantity | `arm` | `range` | `at` | needs |\n|---|---|---|---|---|\n";
  for (const QuantityRule& rule : quantity_rules()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.name, arm_words(rule.arm),
                        use_words(rule.range), use_words(rule.at),
                        rule.definition.empty() ? "" : "`definitions." + rule.definition + "`");
  }
  return text + "\n";
}

std::string gates_table() {
  std::string text = "| gate | why | when it does not pass |\n|---|---|---|\n";
  for (const GateRule& rule : gate_rules()) {
    text += fmt::format("| `{}` | {} | {} |\n", rule.name, cell(rule.why),
                        rule.refuses ? "refused" : "a warning");
  }
  return text + "\n";
}

}  // namespace

std::string reference_markdown() {
  const Config config;
  Names any_seeds;
  any_seeds.seeds = 1'000'000'000'000'000;
  std::string text =
      "# The pre-registration file\n\n"
      "This page is generated from the lists that the reader goes by; a test fails when it is "
      "stale "
      "(`SWEEP_UPDATE_GOLDEN=1` renews it). Terms stand in [definitions](definitions.md), what "
      "each "
      "choice costs in [methods](methods.md); `sweeps/qk_norm.yaml` is a whole file with its "
      "reasons.\n\n"
      "YAML, read strictly: an unknown key is a mistake, as is a key that stands twice. `[ ]`, "
      "`TODO` "
      "and `?` mark what is not decided: `sweep check` lists them, `sweep run` refuses them. "
      "`title`, `question`, `arms` and `grid` are required.\n\n"
      "## Design\n\n"
      "- `arms: {NAME: {PATH: value, ...}, ...}`: the first is the control. Arms differ in one "
      "field; "
      "`arms_reason` says why where they differ in more.\n"
      "- `grid: {PATH: levels, ..., seed: [..]}`: every level of every line with every other. "
      "Levels "
      "are a list, or `{from, to, per_decade: [mantissas]}`. A line whose levels are maps sets "
      "several "
      "fields together: `size: [{model.n_layer: 2, model.n_embd: 672}, ...]`.\n"
      "- `roles: {axis, stratum, replicate}`: the axis is the line that findings lie along.\n\n";
  for (const char* section : {"model", "data", "train", "measure"}) {
    text += fmt::format("## `{}`\n\n{}", section, field_table(config_fields(), section, config));
  }
  text += "## `definitions`\n\n" + definitions_table();
  text +=
      "Defaults of `diverged`: non-finite, at least the initial loss, at least the unigram floor "
      "less 0.1. Of `unusable`: diverged, or degraded by 0.3.\n\n";
  text +=
      "## `hypotheses`\n\n"
      "`{ID: {claim, supported_if, contradicted_if}, ...}`. A criterion is `{all: [...]}`, "
      "`{any: [...]}`, `{not: ...}`, or one comparison of one quantity:\n\n" +
      quantities_table() + shape_table("(criterion)", criterion_shape({}));
  text += "## `analysis`\n\n" + shape_table("analysis", analysis_shape(any_seeds));
  text += "## `gates`\n\n" + gates_table() + shape_table("gates", gates_shape());
  text += "## `pilot`\n\n" + shape_table("pilot", pilot_shape(Prereg{}));
  text +=
      "## `robustness`\n\n"
      "`subset: {PATH: [levels of the grid], seed: [...]}`, `change: [{PATH: value, ...}, ...]`: "
      "the "
      "subset again under each change; reported apart, without effect on a verdict.\n\n";
  text += "## `execution`\n\nHow runs are carried out; outside every hash.\n\n" +
          field_table(execution_fields(), "execution", ExecutionConfig{});
  text.pop_back();
  return text;
}

}  // namespace sweep
