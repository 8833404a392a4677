#include <fmt/format.h>

#include "sweep/base/text.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {
namespace {

using Kind = Criterion::Kind;

Quorum quorum_from(const Json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_string()) return {};
  return {json.at(key).at("at_least").get<std::size_t>()};
}

std::optional<double> number_from(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

Limits limits_from(const Json& json) {
  if (json.contains("between")) {
    return {json.at("between").at(0).get<double>(), json.at("between").at(1).get<double>()};
  }
  return {number_from(json, "at_least"), number_from(json, "at_most")};
}

Kind kind_of(const Json& json) {
  if (json.contains("test")) return Kind::kTest;
  if (json.contains("is")) return Kind::kOrder;
  return json.contains("last_over_first") ? Kind::kAcross : Kind::kLimits;
}

Criterion criterion_from(const Json& json);

std::vector<Criterion> parts_from(const Json& list) {
  std::vector<Criterion> parts;
  for (const Json& part : list) parts.push_back(criterion_from(part));
  return parts;
}

Criterion combined(Kind kind, std::vector<Criterion> parts) {
  Criterion criterion;
  criterion.kind = kind;
  criterion.parts = std::move(parts);
  return criterion;
}

/// The JSON was checked when it was read from the file.
Criterion criterion_from(const Json& json) {
  if (json.contains("all")) return combined(Kind::kAll, parts_from(json.at("all")));
  if (json.contains("any")) return combined(Kind::kAny, parts_from(json.at("any")));
  if (json.contains("not")) return combined(Kind::kNot, {criterion_from(json.at("not"))});
  Criterion c;
  c.kind = kind_of(json);
  c.quantity = json.at("quantity").get<std::string>();
  for (const auto& [key, member] :
       std::initializer_list<std::pair<const char*, std::string Criterion::*>>{
           {"arm", &Criterion::arm},
           {"is", &Criterion::is},
           {"than", &Criterion::than},
           {"range", &Criterion::range},
           {"at", &Criterion::at},
           {"across", &Criterion::across},
           {"test", &Criterion::test},
           {"trend", &Criterion::trend}}) {
    c.*member = json.value(key, "");
  }
  c.limits = limits_from(c.kind == Kind::kAcross ? json.at("last_over_first") : json);
  c.p_at_most = json.value("p_at_most", 0.0);
  c.strata = quorum_from(json, "strata");
  c.seeds = quorum_from(json, "seeds");
  return c;
}

std::string words_of(const Limits& limits) {
  if (limits.at_least && limits.at_most) {
    return fmt::format("between {} and {}", format_number(*limits.at_least),
                       format_number(*limits.at_most));
  }
  return limits.at_least ? "at least " + format_number(*limits.at_least)
                         : "at most " + format_number(*limits.at_most);
}

/// "" where all must hold.
std::string words_of_quorums(const Criterion& c) {
  std::string words;
  if (c.strata.at_least) words += fmt::format(", in at least {} strata", *c.strata.at_least);
  if (c.seeds.at_least) words += fmt::format(", for at least {} seeds", *c.seeds.at_least);
  return words;
}

std::string subject_of(const Criterion& c) {
  std::string words = c.quantity;
  if (!c.arm.empty()) words += " of " + c.arm;
  if (!c.range.empty()) words += " over " + c.range;
  if (c.at == "same_lr") words += " at every level";
  if (c.at == "arm_best_lr") words += " at each arm's best level";
  return words;
}

std::string words_of_parts(const Criterion& c, const std::string& between) {
  std::vector<std::string> parts;
  for (const Criterion& part : c.parts) parts.push_back("(" + to_words(part) + ")");
  return join(parts, between);
}

}  // namespace

const std::vector<QuantityRule>& quantity_rules() {
  using ArmUse = QuantityRule::ArmUse;
  using Use = QuantityRule::Use;
  static const std::vector<QuantityRule> rules = {
      {"final_val_loss", ArmUse::kRequired, Use::kMay, Use::kMay, "", {"final_val_loss", "ranges"}},
      {"gap", ArmUse::kNone, Use::kMay, Use::kNo, "gap", {"final_val_loss", "gap", "ranges"}},
      {"max_stable_lr",
       ArmUse::kRequired,
       Use::kNo,
       Use::kNo,
       "",
       {"diverged", "unusable", "max_stable_lr"}},
      {"lr_sensitivity",
       ArmUse::kRequired,
       Use::kNo,
       Use::kNo,
       "",
       {"final_val_loss", "lr_sensitivity"}},
      {"necessity_lr",
       ArmUse::kTreatment,
       Use::kNo,
       Use::kNo,
       "",
       {"diverged", "unusable", "necessity_lr"}},
      {"convergence",
       ArmUse::kRequired,
       Use::kMay,
       Use::kMust,
       "convergence",
       {"convergence", "ranges"}},
  };
  return rules;
}

const QuantityRule* find_quantity(const std::string& name) {
  for (const QuantityRule& rule : quantity_rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<Hypothesis> hypotheses_of(const Prereg& prereg) {
  std::vector<Hypothesis> hypotheses;
  for (const auto& [id, json] : prereg.hypotheses.items()) {
    hypotheses.push_back({id, json.at("claim").get<std::string>(),
                          criterion_from(json.at("supported_if")),
                          criterion_from(json.at("contradicted_if"))});
  }
  return hypotheses;
}

AnalysisPlan analysis_plan_of(const Prereg& prereg) {
  const Json analysis = prereg.analysis.is_null() ? Json::object() : prereg.analysis;
  AnalysisPlan plan;
  plan.seeds_required = analysis.value("seeds_required", prereg.seeds.size());
  if (const auto delta = degraded_delta(prereg.definitions)) {
    plan.degraded_profile = {*delta / 2, *delta * 2};
  }
  plan.degraded_profile = analysis.value("degraded_profile", plan.degraded_profile);
  const Json correction = analysis.value("correction", Json::object());
  plan.correction = correction.value("method", plan.correction);
  for (const auto& [id, json] : prereg.hypotheses.items()) plan.family.push_back(id);
  plan.family = correction.value("family", plan.family);
  return plan;
}

std::optional<double> degraded_delta(const Definitions& definitions) {
  for (const FailureRule& rule : definitions.unusable) {
    if (rule.kind == FailureRule::Kind::kDegraded) return rule.by;
  }
  return std::nullopt;
}

Definitions with_degraded_delta(Definitions definitions, double delta) {
  for (FailureRule& rule : definitions.unusable) {
    if (rule.kind == FailureRule::Kind::kDegraded) rule.by = delta;
  }
  return definitions;
}

std::string to_words(const Criterion& c) {
  switch (c.kind) {
    case Kind::kAll:
      return words_of_parts(c, " and ");
    case Kind::kAny:
      return words_of_parts(c, " or ");
    case Kind::kNot:
      return "not (" + to_words(c.parts.front()) + ")";
    case Kind::kLimits:
      return fmt::format("{} {}{}", subject_of(c), words_of(c.limits), words_of_quorums(c));
    case Kind::kOrder:
      return fmt::format("{} {} that of {}{}", subject_of(c), c.is, c.than, words_of_quorums(c));
    case Kind::kAcross:
      return fmt::format("{}: last level of {} over the first {}{}", subject_of(c), c.across,
                         words_of(c.limits), words_of_quorums(c));
    case Kind::kTest:
      break;
  }
  return fmt::format("{} {} across {}: {} p at most {}", subject_of(c), c.trend, c.across, c.test,
                     format_number(c.p_at_most));
}

}  // namespace sweep
