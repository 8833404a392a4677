#include "report/findings_json.h"

namespace sweep {
namespace {

const char* censored_word(NecessityLr::Kind kind) {
  switch (kind) {
    case NecessityLr::Kind::kLeftCensored:
      return "left";
    case NecessityLr::Kind::kRightCensored:
      return "right";
    case NecessityLr::Kind::kNoWindow:
      return "no window";
    case NecessityLr::Kind::kInterval:
      break;
  }
  return "";
}

Json necessity_row(const Necessity& necessity, const Json& seed,
                   const Finding<NecessityLr>& finding) {
  Json json = {{"control", necessity.control},
               {"treatment", necessity.treatment},
               {"stratum", to_json(necessity.stratum)},
               {"seed", seed},
               {"value", nullptr},
               {"lower", nullptr},
               {"censored", nullptr}};
  if (const auto* why = std::get_if<Undefined>(&finding)) {
    json["censored"] = "missing";
    json["reason"] = why->reason;
    json["runs"] = why->runs;
    return json;
  }
  const auto& value = std::get<NecessityLr>(finding);
  json["value"] = optional_json(value.upper);
  json["lower"] = optional_json(value.lower);
  if (value.kind != NecessityLr::Kind::kInterval) json["censored"] = censored_word(value.kind);
  json["non_monotone"] = value.non_monotone;
  return json;
}

Json gap_row(const GapCurve& curve, const GapPoint& point) {
  Json json = {{"minuend", curve.minuend},
               {"subtrahend", curve.subtrahend},
               {"stratum", to_json(curve.stratum)},
               {"x", point.x}};
  const Spread* spread = value_of(point.over_seeds);
  json["mean"] = spread != nullptr ? Json(spread->mean) : Json();
  json["sd"] = spread != nullptr ? optional_json(spread->sd) : Json();
  json["seeds"] = Json::array();
  json["per_seed"] = Json::array();
  for (const auto& [seed, finding] : point.per_seed) {
    const double* value = value_of(finding);
    json["seeds"].push_back(seed);
    json["per_seed"].push_back(value != nullptr ? Json(*value) : Json());
  }
  return json;
}

Json convergence_row(const ConvergenceCurve& curve, const ConvergenceCurve::Point& point) {
  const double* target = value_of(curve.target);
  Json json = {{"arm", curve.arm},       {"stratum", to_json(curve.stratum)},
               {"x", point.x},           {"target", target != nullptr ? Json(*target) : Json()},
               {"seeds", Json::array()}, {"per_seed", Json::array()},
               {"horizon", nullptr}};
  for (const auto& [seed, finding] : point.per_seed) {
    const auto* value = value_of(finding);
    json["seeds"].push_back(seed);
    json["per_seed"].push_back(value != nullptr ? optional_json(value->steps) : Json());
    if (value != nullptr) json["horizon"] = value->horizon;
    if (value == nullptr) json["reason"] = std::get<Undefined>(finding).reason;
  }
  return json;
}

}  // namespace

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json optional_json(const std::optional<bool>& value) { return value ? Json(*value) : Json(); }

Json necessity_json(const Analysis& analysis) {
  Json list = Json::array();
  for (const Necessity& necessity : analysis.necessity) {
    for (const auto& [seed, finding] : necessity.per_seed) {
      list.push_back(necessity_row(necessity, seed, finding));
    }
    Json all = necessity_row(necessity, "all", necessity.all_seeds);
    all["crossing"] = optional_json(necessity.crossing);
    all["crossing_gap"] = necessity.crossing_gap;
    list.push_back(std::move(all));
  }
  return list;
}

Json gap_json(const Analysis& analysis) {
  Json list = Json::array();
  for (const GapCurve& curve : analysis.gaps) {
    for (const GapPoint& point : curve.points) list.push_back(gap_row(curve, point));
  }
  return list;
}

Json convergence_json(const Analysis& analysis) {
  Json list = Json::array();
  for (const ConvergenceCurve& curve : analysis.convergence) {
    for (const auto& point : curve.points) list.push_back(convergence_row(curve, point));
  }
  return list;
}

Json range_effects_json(const std::vector<RangeEffect>& effects) {
  Json list = Json::array();
  for (const RangeEffect& effect : effects) {
    Json json = {{"stratum", to_json(effect.stratum)},
                 {"range", effect.range.name},
                 {"low", effect.range.low},
                 {"high", effect.range.high}};
    if (const auto* why = std::get_if<Undefined>(&effect.gap)) {
      json["reason"] = why->reason;
    } else {
      const auto& spread = std::get<Spread>(effect.gap);
      json["n"] = spread.n;
      json["mean"] = spread.mean;
      json["sd"] = optional_json(spread.sd);
    }
    json["half_width_95"] = optional_json(effect.half_width_95);
    json["p"] = effect.sign_flip ? Json(effect.sign_flip->p) : Json();
    json["minimum_p"] = effect.sign_flip ? Json(effect.sign_flip->minimum_p) : Json();
    json["tost"] = nullptr;
    if (effect.equivalence) {
      json["tost"] = {{"low", effect.equivalence->margins.low},
                      {"high", effect.equivalence->margins.high},
                      {"p_low", effect.equivalence->p_low},
                      {"p_high", effect.equivalence->p_high}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json necessity_slope_json(const std::vector<NecessitySlope>& slopes) {
  Json list = Json::array();
  for (const NecessitySlope& slope : slopes) {
    Json json = {{"treatment", slope.treatment}, {"factor", slope.factor}};
    if (const auto* bounds = value_of(slope.slope)) {
      json["n"] = bounds->n;
      json["min"] = optional_json(bounds->min);
      json["max"] = optional_json(bounds->max);
    } else {
      json["reason"] = std::get<Undefined>(slope.slope).reason;
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sweep
