#include <fmt/format.h>

#include <algorithm>

#include "prereg/loss_levels.h"
#include "prereg/rules.h"
#include "prereg/shape.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

using Kind = FailureRule::Kind;
using LossLevel = FailureRule::LossLevel;

std::vector<std::string> loss_level_words() {
  std::vector<std::string> words;
  for (const auto& [level, word] : kLossLevels) words.emplace_back(word);
  return words;
}

/// A number of nats or the name of a loss.
Shape loss_level() {
  const Shape named = shape::word(loss_level_words());
  return {"a number, or " + named.form(),
          [named](const YamlNode& node, const std::string& name, Diagnostics& out) {
            const bool number = node.plain && parse_number(node.text).has_value();
            return number ? shape::number()(node, name, out) : named(node, name, out);
          }};
}

Shape rule_named(const std::string& word, std::vector<Key> keys) {
  keys.insert(keys.begin(), {"rule", shape::word({word})});
  return shape::map(std::move(keys));
}

/// The keys that a rule of this name has.
Shape shape_of_rule(const std::string& rule) {
  if (rule == "final_loss_at_least") {
    return rule_named(rule, {{"level", loss_level()}, {"minus", shape::number(0), false}});
  }
  if (rule == "degraded") {
    return rule_named(rule, {{"by", shape::number(0)},
                             {"reference", shape::word({"best_seed_mean"}), false},
                             {"of", shape::word({"same_arm_and_stratum", "same_stratum"}), false}});
  }
  return rule_named(rule, {});
}

LossLevel level_named(const std::string& word) {
  for (const auto& [level, name] : kLossLevels) {
    if (name == word) return level;
  }
  return LossLevel::kNumber;
}

FailureRule rule_from(const Json& json) {
  FailureRule rule;
  const auto word = json.at("rule").get<std::string>();
  if (word == "diverged") rule.kind = Kind::kDiverged;
  if (word == "degraded") {
    rule.kind = Kind::kDegraded;
    rule.by = json.at("by").get<double>();
    rule.of = json.value("of", rule.of);
  }
  if (word == "final_loss_at_least") {
    rule.kind = Kind::kFinalLossAtLeast;
    rule.minus = json.value("minus", 0.0);
    const Json& level = json.at("level");
    if (level.is_number()) rule.number = level.get<double>();
    if (level.is_string()) rule.level = level_named(level.get<std::string>());
  }
  return rule;
}

/// The forms that a rule of one of these names can have.
std::string forms_of_rules(const std::vector<std::string>& known) {
  std::vector<std::string> forms;
  for (const std::string& rule : known) forms.push_back(shape_of_rule(rule).form());
  return join(forms, " or ");
}

/// Reads {any: [{rule: name, ...}, ...]} into `rules`.
Shape rules_shape(const std::vector<std::string>& known, std::vector<FailureRule>& rules) {
  const Shape::Reader rule = [known, &rules](const YamlNode& item, const std::string& where,
                                             Diagnostics& all) -> Json {
    if (!expect_map(item, where, all)) return {};
    Diagnostics found;
    const YamlNode* word = item.find("rule");
    const Json read = word == nullptr ? Json() : shape::word(known)(*word, where + ".rule", found);
    if (word == nullptr) found.problem(item.place, where, "'rule' is missing");
    if (found.empty()) {
      const Json json = shape_of_rule(read.get<std::string>())(item, where, found);
      if (found.empty()) rules.push_back(rule_from(json));
    }
    all.take(found);
    return {};
  };
  return shape::map({{"any", shape::list({forms_of_rules(known), rule})}});
}

const std::vector<std::string> kDivergedRules = {"nonfinite", "final_loss_at_least"};
const std::vector<std::string> kUnusableRules = {"diverged", "nonfinite", "final_loss_at_least",
                                                 "degraded"};

std::vector<FailureRule> read_rules(const YamlNode& node, const std::string& name,
                                    const std::vector<std::string>& known, Diagnostics& out) {
  std::vector<FailureRule> rules;
  rules_shape(known, rules)(node, name, out);
  return rules;
}

Shape final_val_loss_shape() {
  return shape::map({{"when", shape::word({"last_iter"}), false},
                     {"nonfinite_as", shape::word({"initial_val_loss"}), false},
                     {"cap", shape::word({"initial_val_loss"}), false}});
}

Shape max_stable_lr_shape() {
  return shape::map({{"failure", shape::word({"unusable", "diverged"}), false},
                     {"scan", shape::word({"upward_from_arm_best"}), false},
                     {"contiguous", shape::flag(), false},
                     {"per", shape::word({"seed"}), false}});
}

void read_max_stable_lr(const YamlNode& node, const std::string& name,
                        Definitions::MaxStableLr& definition, Diagnostics& out) {
  const Json json = max_stable_lr_shape()(node, name, out);
  if (!out.empty()) return;
  definition.failure = json.value("failure", definition.failure);
  definition.contiguous = json.value("contiguous", definition.contiguous);
}

Shape lr_sensitivity_shape() {
  return shape::map({{"points", shape::word({"all", "wortsman"}), false},
                     {"weights", shape::word({"equal", "log_trapezoid"}), false},
                     {"best", shape::word({"min_capped"}), false},
                     {"per", shape::word({"seed"}), false}});
}

void read_lr_sensitivity(const YamlNode& node, const std::string& name,
                         Definitions::LrSensitivity& definition, Diagnostics& out) {
  const Json json = lr_sensitivity_shape()(node, name, out);
  if (!out.empty()) return;
  definition.points = json.value("points", definition.points);
  definition.weights = json.value("weights", definition.weights);
}

Shape ranges_shape() { return shape::map_of(shape::interval()); }

void read_ranges(const YamlNode& node, const std::string& name,
                 std::vector<Definitions::Range>& ranges, Diagnostics& out) {
  const Json json = ranges_shape()(node, name, out);
  if (!out.empty()) return;
  ranges.clear();
  for (const auto& [range, ends] : json.items()) {
    ranges.push_back({range, ends.at(0).get<double>(), ends.at(1).get<double>()});
  }
}

/// unusable, diverged, or {worse_by: 0.1}.
Shape control_failure() {
  return shape::either(shape::word({"unusable", "diverged"}),
                       shape::map({{"worse_by", shape::number(0)}}));
}

Shape necessity_lr_shape() {
  return shape::map({{"control", control_failure(), false},
                     {"treatment", shape::word({"usable"}), false},
                     {"scan", shape::word({"upward_from_control_best"}), false},
                     {"persistent", shape::flag(), false},
                     {"per", shape::word({"seed"}), false}});
}

void read_necessity_lr(const YamlNode& node, const std::string& name,
                       Definitions::NecessityLr& definition, Diagnostics& out) {
  const Json json = necessity_lr_shape()(node, name, out);
  if (!out.empty()) return;
  definition.persistent = json.value("persistent", definition.persistent);
  if (!json.contains("control")) return;
  const Json& control = json.at("control");
  definition.control = control.is_string() ? control.get<std::string>() : "worse_by";
  if (control.is_object()) definition.worse_by = control.at("worse_by").get<double>();
}

Shape gap_shape(const Names& names) {
  return shape::map({{"of", shape::word({"final_val_loss"}), false},
                     {"minuend", shape::reference(names.arms, "arms")},
                     {"subtrahend", shape::reference(names.arms, "arms")},
                     {"average", shape::word({"range", "none"}), false},
                     {"per", shape::word({"seed"}), false}});
}

void read_gap(const YamlNode& node, const std::string& name, const Names& names,
              std::optional<Definitions::Gap>& gap, Diagnostics& out) {
  const Json json = gap_shape(names)(node, name, out);
  if (!out.empty()) return;
  gap.emplace();
  gap->minuend = json.at("minuend").get<std::string>();
  gap->subtrahend = json.at("subtrahend").get<std::string>();
  gap->average = json.value("average", gap->average);
  if (gap->minuend == gap->subtrahend) {
    out.problem(node.place, name, "minuend and subtrahend are the same arm: the gap would be zero");
  }
}

/// The loss that counts as converged: a number, a margin over a pilot's best, or a corpus floor.
Shape convergence_loss(const Names& names) {
  const Shape level =
      shape::map({{"level", shape::word(loss_level_words())}, {"minus", shape::number(), false}});
  const Shape pilot = shape::map(
      {{"pilot_arm", shape::reference(names.arms, "arms")}, {"best_final_plus", shape::number()}});
  const Shape number = shape::number(0);
  return {fmt::format("{}, or {}, or {}", number.form(), pilot.form(), level.form()),
          [=](const YamlNode& node, const std::string& name, Diagnostics& out) {
            if (node.kind != YamlNode::Kind::kMap) return number(node, name, out);
            return (node.find("level") != nullptr ? level : pilot)(node, name, out);
          }};
}

void set_convergence_loss(const Json& loss, Definitions::Convergence& convergence) {
  if (loss.is_number()) {
    convergence.number = loss.get<double>();
  } else if (loss.contains("level")) {
    convergence.level = level_named(loss.at("level").get<std::string>());
    convergence.minus = loss.value("minus", 0.0);
  } else {
    convergence.pilot_arm = loss.at("pilot_arm").get<std::string>();
    convergence.best_final_plus = loss.at("best_final_plus").get<double>();
  }
}

Shape convergence_shape(const Names& names) {
  return shape::map({{"val_loss", convergence_loss(names)},
                     {"confirm_evals", shape::whole(0, 1000), false},
                     {"compare_at", shape::list(shape::word({"same_lr", "arm_best_lr"})), false}});
}

void read_convergence(const YamlNode& node, const std::string& name, const Names& names,
                      std::optional<Definitions::Convergence>& convergence, Diagnostics& out) {
  const Json json = convergence_shape(names)(node, name, out);
  if (!out.empty()) return;
  convergence.emplace();
  set_convergence_loss(json.at("val_loss"), *convergence);
  convergence->confirm_evals = json.value("confirm_evals", convergence->confirm_evals);
  convergence->compare_at = json.value("compare_at", convergence->compare_at);
}

/// The definition called `key`, read into its member.
void read_definition(const std::string& key, const YamlNode& node, const Names& names,
                     Definitions& d, Diagnostics& out) {
  const std::string name = "definitions." + key;
  if (key == "ranges") read_ranges(node, name, d.ranges, out);
  if (key == "final_val_loss") final_val_loss_shape()(node, name, out);
  if (key == "diverged") d.diverged = read_rules(node, name, kDivergedRules, out);
  if (key == "unusable") d.unusable = read_rules(node, name, kUnusableRules, out);
  if (key == "max_stable_lr") read_max_stable_lr(node, name, d.max_stable_lr, out);
  if (key == "lr_sensitivity") read_lr_sensitivity(node, name, d.lr_sensitivity, out);
  if (key == "necessity_lr") read_necessity_lr(node, name, d.necessity_lr, out);
  if (key == "gap") read_gap(node, name, names, d.gap, out);
  if (key == "convergence") read_convergence(node, name, names, d.convergence, out);
}

}  // namespace

std::vector<Key> definition_keys(const Names& names) {
  std::vector<FailureRule> nowhere;  // these shapes are for their forms
  return {{"ranges", ranges_shape(), false},
          {"final_val_loss", final_val_loss_shape(), false},
          {"diverged", rules_shape(kDivergedRules, nowhere), false},
          {"unusable", rules_shape(kUnusableRules, nowhere), false},
          {"max_stable_lr", max_stable_lr_shape(), false},
          {"lr_sensitivity", lr_sensitivity_shape(), false},
          {"necessity_lr", necessity_lr_shape(), false},
          {"gap", gap_shape(names), false},
          {"convergence", convergence_shape(names), false}};
}

void read_definitions(const YamlNode& node, const Names& names, Definitions& definitions,
                      Diagnostics& out) {
  if (!expect_map(node, "definitions", out)) return;
  std::vector<std::string> known;
  for (const Key& key : definition_keys(names)) known.push_back(key.name);
  for (const YamlEntry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      unknown_key(entry, "definitions." + entry.key, known, out);
      continue;
    }
    Diagnostics found;
    read_definition(entry.key, entry.value, names, definitions, found);
    out.take(found);
  }
}

}  // namespace sweep
