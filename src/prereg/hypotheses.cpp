#include "sweep/prereg/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>

#include "prereg/rules.h"
#include "prereg/shape.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const QuantityRule& rule : quantity_rules()) names.push_back(rule.name);
  return names;
}

/// A criterion makes one comparison: by one of these keys.
const std::vector<std::string> kComparisons = {"is",      "between",         "at_least",
                                               "at_most", "last_over_first", "p_at_most"};

/// "all", or {at_least: k}.
Shape quorum() {
  return shape::either(shape::word({"all"}), shape::map({{"at_least", shape::whole(1, 1000)}}));
}

Shape bound() {
  return shape::map({{"at_least", shape::number(), false}, {"at_most", shape::number(), false}});
}

}  // namespace

Shape criterion_shape(const Names& names) {
  return shape::map({{"test", shape::word({"page_l", "jonckheere_terpstra"}), false},
                     {"quantity", shape::word(quantity_names())},
                     {"arm", shape::reference(names.arms, "arms"), false},
                     {"is", shape::word({"above", "below"}), false},
                     {"than", shape::reference(names.arms, "arms"), false},
                     {"range", shape::reference(names.ranges, "definitions.ranges"), false},
                     {"at", shape::word({"same_lr", "arm_best_lr"}), false},
                     {"across", shape::reference(names.lines, "grid"), false},
                     {"between", shape::interval(), false},
                     {"at_least", shape::number(), false},
                     {"at_most", shape::number(), false},
                     {"last_over_first", bound(), false},
                     {"trend", shape::word({"falling", "rising"}), false},
                     {"p_at_most", shape::number(0, 1), false},
                     {"strata", quorum(), false},
                     {"seeds", quorum(), false}});
}

namespace {

/// Keys that make sense only together.
void check_companions(const YamlNode& node, const std::string& name, Diagnostics& out) {
  const auto require = [&](const char* key, std::initializer_list<const char*> others) {
    if (node.find(key) == nullptr) return;
    for (const char* other : others) {
      if (node.find(other) != nullptr) continue;
      out.problem(node.place, name, fmt::format("'{}' needs '{}' beside it", key, other));
    }
  };
  require("is", {"arm", "than"});
  require("than", {"is"});
  require("last_over_first", {"across"});
  require("test", {"across", "trend", "p_at_most"});
  require("trend", {"test"});
  require("p_at_most", {"test"});
}

void check_one_comparison(const YamlNode& node, const std::string& name, Diagnostics& out) {
  const auto count = std::count_if(kComparisons.begin(), kComparisons.end(),
                                   [&](const auto& key) { return node.find(key) != nullptr; });
  if (count == 1) return;
  out.problem(node.place, name,
              fmt::format("{} comparison: it must have one of {}",
                          count == 0 ? "has no" : "has more than one", join(kComparisons, ", ")));
}

/// Whether the quantity is one of an arm, over a range, at some level: what it cannot do without
/// and what would mean nothing.
void check_quantity(const YamlNode& node, const std::string& name, const Names& names,
                    Diagnostics& out) {
  const QuantityRule& rule = *find_quantity(node.find("quantity")->text);
  const auto problem = [&](const std::string& what) {
    out.problem(node.place, name, fmt::format("quantity {} {}", rule.name, what));
  };
  const auto check = [&](const char* key, QuantityRule::Use use) {
    const bool there = node.find(key) != nullptr;
    if (there && use == QuantityRule::Use::kNo) problem(fmt::format("takes no '{}'", key));
    if (!there && use == QuantityRule::Use::kMust) problem(fmt::format("needs '{}'", key));
  };
  using ArmUse = QuantityRule::ArmUse;
  check("arm", rule.arm == ArmUse::kRequired ? QuantityRule::Use::kMust
               : rule.arm == ArmUse::kNone   ? QuantityRule::Use::kNo
                                             : QuantityRule::Use::kMay);
  if (rule.arm != ArmUse::kRequired) check("is", QuantityRule::Use::kNo);
  check("range", rule.range);
  check("at", rule.at);
  const auto& there = names.definitions;
  if (!rule.definition.empty() &&
      std::find(there.begin(), there.end(), rule.definition) == there.end()) {
    problem(fmt::format("needs its definition: add definitions.{}", rule.definition));
  }
}

/// What is compared across levels must be one number per stratum and seed.
void check_across(const YamlNode& node, const std::string& name, const Names& names,
                  Diagnostics& out) {
  const YamlNode* across = node.find("across");
  if (across == nullptr) return;
  if (across->text == names.axis) {
    out.problem(across->place, name + ".across",
                fmt::format("{} is the axis: findings lie along it, not across it", names.axis));
  }
  if (node.find("is") != nullptr) {
    out.problem(node.place, name, "'across' compares levels, 'is' compares arms: not both");
  }
}

/// The rules between keys say something sensible only when each key is right.
Json read_leaf(const YamlNode& node, const std::string& name, const Names& names,
               Diagnostics& out) {
  Diagnostics found;
  Json json = criterion_shape(names)(node, name, found);
  if (found.empty()) {
    check_companions(node, name, found);
    check_one_comparison(node, name, found);
    check_quantity(node, name, names, found);
    check_across(node, name, names, found);
  }
  out.take(found);
  return json;
}

Shape criterion(const Names& names);

/// {all: [...]}, {any: [...]}, {not: ...}, or a single comparison.
Json read_criterion(const YamlNode& node, const std::string& name, const Names& names,
                    Diagnostics& out) {
  const Shape inner = criterion(names);
  if (!expect_map(node, name, out)) return {};
  for (const char* key : {"all", "any"}) {
    if (node.find(key) != nullptr) return shape::map({{key, shape::list(inner)}})(node, name, out);
  }
  if (node.find("not") != nullptr) return shape::map({{"not", inner}})(node, name, out);
  return read_leaf(node, name, names, out);
}

Shape criterion(const Names& names) {
  return {"a criterion", [&](const YamlNode& part, const std::string& name, Diagnostics& found) {
            return read_criterion(part, name, names, found);
          }};
}

}  // namespace

Json read_hypotheses(const YamlNode& node, const Names& names, Diagnostics& out) {
  return shape::map_of(shape::map({{"claim", shape::text()},
                                   {"supported_if", criterion(names)},
                                   {"contradicted_if", criterion(names)}}))(node, "hypotheses",
                                                                            out);
}

}  // namespace sweep
