#include <algorithm>

#include "prereg/factor.h"
#include "sweep/prereg/prereg.h"

namespace sweep {
namespace {

/// The same value with the keys of every map in alphabetical order.
Json sorted(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& item : json) list.push_back(sorted(item));
    return list;
  }
  if (!json.is_object()) return json;
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  Json map = Json::object();
  for (const std::string& key : keys) map[key] = sorted(json.at(key));
  return map;
}

Json settings_json(const std::vector<std::pair<std::string, Value>>& settings) {
  Json json = Json::object();
  for (const auto& [path, value] : settings) json[path] = to_json(value);
  return json;
}

Json grid_json(const std::vector<Factor>& grid) {
  Json json = Json::object();
  for (const Factor& factor : grid) {
    Json levels = Json::array();
    for (const auto& level : factor.levels) levels.push_back(level_json(factor, level));
    json[factor.name] = levels;
  }
  return json;
}

}  // namespace

Json canonical(const Prereg& prereg) {
  Json arms = Json::object();
  for (const Arm& arm : prereg.arms) arms[arm.name] = settings_json(arm.settings);
  Json json;
  json["title"] = prereg.title;
  json["question"] = prereg.question;
  json["control"] = prereg.arms.empty() ? "" : prereg.arms.front().name;
  json["arms"] = arms;
  json["arms_reason"] = prereg.arms_reason;
  json["grid"] = grid_json(prereg.grid);
  json["seed"] = prereg.seeds;
  json["roles"] = {{"axis", prereg.roles.axis},
                   {"stratum", prereg.roles.strata},
                   {"replicate", prereg.roles.replicate}};
  json["config"] = to_json(prereg.base);
  json["definitions"] = to_json(prereg.definitions);
  json["hypotheses"] = prereg.hypotheses;
  json["analysis"] = prereg.analysis;
  json["gates"] = prereg.gates;
  json["pilot"] = prereg.pilot;
  json["robustness"] = prereg.robustness;
  return sorted(json);
}

}  // namespace sweep
