#include "sweep/prereg/definitions.h"

#include "prereg/loss_levels.h"

namespace sweep {
namespace {

using Kind = FailureRule::Kind;
using LossLevel = FailureRule::LossLevel;

FailureRule final_loss_at_least(LossLevel level, double minus) {
  FailureRule rule;
  rule.kind = Kind::kFinalLossAtLeast;
  rule.level = level;
  rule.minus = minus;
  return rule;
}

FailureRule of_kind(Kind kind) {
  FailureRule rule;
  rule.kind = kind;
  return rule;
}

Json to_json(const FailureRule& rule) {
  switch (rule.kind) {
    case Kind::kNonfinite:
      return {{"rule", "nonfinite"}};
    case Kind::kDiverged:
      return {{"rule", "diverged"}};
    case Kind::kDegraded:
      return {
          {"rule", "degraded"}, {"by", rule.by}, {"reference", "best_seed_mean"}, {"of", rule.of}};
    case Kind::kFinalLossAtLeast: {
      Json json = {{"rule", "final_loss_at_least"}};
      json["level"] =
          rule.level == LossLevel::kNumber ? Json(rule.number) : Json(loss_level_word(rule.level));
      json["minus"] = rule.minus;
      return json;
    }
  }
  return {};
}

Json any_of(const std::vector<FailureRule>& rules) {
  Json list = Json::array();
  for (const FailureRule& rule : rules) list.push_back(to_json(rule));
  Json json;
  json["any"] = list;
  return json;
}

}  // namespace

Definitions default_definitions() {
  Definitions definitions;
  definitions.diverged = {of_kind(Kind::kNonfinite),
                          final_loss_at_least(LossLevel::kInitialValLoss, 0),
                          final_loss_at_least(LossLevel::kUnigramFloor, 0.1)};
  definitions.unusable = {of_kind(Kind::kDiverged), of_kind(Kind::kDegraded)};
  definitions.necessity_lr = {{"control", "unusable"},
                              {"treatment", "usable"},
                              {"scan", "upward_from_control_best"},
                              {"persistent", true},
                              {"per", "seed"}};
  return definitions;
}

Json to_json(const Definitions& d) {
  Json json;
  json["ranges"] = d.ranges;
  json["final_val_loss"] = {{"when", d.final_val_loss.when},
                            {"nonfinite_as", d.final_val_loss.nonfinite_as},
                            {"cap", d.final_val_loss.cap}};
  json["diverged"] = any_of(d.diverged);
  json["unusable"] = any_of(d.unusable);
  json["max_stable_lr"] = {{"failure", d.max_stable_lr.failure},
                           {"scan", d.max_stable_lr.scan},
                           {"contiguous", d.max_stable_lr.contiguous},
                           {"per", d.max_stable_lr.per}};
  json["lr_sensitivity"] = {{"points", d.lr_sensitivity.points},
                            {"weights", d.lr_sensitivity.weights},
                            {"best", d.lr_sensitivity.best},
                            {"per", d.lr_sensitivity.per}};
  json["necessity_lr"] = d.necessity_lr;
  json["gap"] = d.gap;
  json["convergence"] = d.convergence;
  return json;
}

}  // namespace sweep
