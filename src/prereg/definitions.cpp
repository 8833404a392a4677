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

Json any_of(const std::vector<FailureRule>& rules) {
  Json list = Json::array();
  for (const FailureRule& rule : rules) list.push_back(to_json(rule));
  Json json;
  json["any"] = list;
  return json;
}

Json ranges_json(const std::vector<Definitions::Range>& ranges) {
  Json json;
  for (const auto& range : ranges) json[range.name] = {range.low, range.high};
  return json;
}

Json necessity_json(const Definitions::NecessityLr& d) {
  Json control = d.control;
  if (d.control == "worse_by") control = {{"worse_by", d.worse_by}};
  return {{"control", control},
          {"treatment", d.treatment},
          {"scan", d.scan},
          {"persistent", d.persistent},
          {"per", d.per}};
}

Json gap_json(const Definitions::Gap& d) {
  return {{"of", d.of},
          {"minuend", d.minuend},
          {"subtrahend", d.subtrahend},
          {"average", d.average},
          {"per", d.per}};
}

Json convergence_loss_json(const Definitions::Convergence& d) {
  if (!d.pilot_arm.empty()) {
    return {{"pilot_arm", d.pilot_arm}, {"best_final_plus", d.best_final_plus}};
  }
  if (d.level == LossLevel::kNumber) return d.number;
  return {{"level", loss_level_word(d.level)}, {"minus", d.minus}};
}

Json convergence_json(const Definitions::Convergence& d) {
  return {{"val_loss", convergence_loss_json(d)},
          {"confirm_evals", d.confirm_evals},
          {"compare_at", d.compare_at}};
}

}  // namespace

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

const Definitions::Range* find_range(const Definitions& definitions, const std::string& name) {
  for (const auto& range : definitions.ranges) {
    if (range.name == name) return &range;
  }
  return nullptr;
}

Definitions default_definitions() {
  Definitions definitions;
  definitions.diverged = {of_kind(Kind::kNonfinite),
                          final_loss_at_least(LossLevel::kInitialValLoss, 0),
                          final_loss_at_least(LossLevel::kUnigramFloor, 0.1)};
  definitions.unusable = {of_kind(Kind::kDiverged), of_kind(Kind::kDegraded)};
  return definitions;
}

Json to_json(const Definitions& d) {
  Json json;
  json["ranges"] = ranges_json(d.ranges);
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
  json["necessity_lr"] = necessity_json(d.necessity_lr);
  json["gap"] = d.gap ? gap_json(*d.gap) : Json();
  json["convergence"] = d.convergence ? convergence_json(*d.convergence) : Json();
  return json;
}

}  // namespace sweep
