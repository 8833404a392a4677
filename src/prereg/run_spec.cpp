#include "sweep/prereg/run_spec.h"

#include "sweep/base/error.h"

namespace sweep {
namespace {

Json to_json(const Level& level) { return {{"factor", level.factor}, {"value", level.value}}; }

Level level_from_json(const Json& json) {
  return {json.at("factor").get<std::string>(), json.at("value")};
}

}  // namespace

Json to_json(const RunSpec& spec) {
  Json levels = Json::array();
  for (const Level& level : spec.levels) levels.push_back(to_json(level));
  return {{"schema_version", 1},
          {"id", spec.id},
          {"arm", spec.arm},
          {"block", spec.block},
          {"levels", levels},
          {"seed", spec.seed},
          {"config", to_json(spec.config)},
          {"data", to_json(spec.data)}};
}

RunSpec run_spec_from_json(const Json& json) {
  try {
    RunSpec spec;
    if (const int version = json.at("schema_version").get<int>(); version != 1) {
      fail(ExitCode::kBadInput, "run spec: schema_version {} is not known here", version);
    }
    spec.id = json.at("id").get<std::string>();
    spec.arm = json.at("arm").get<std::string>();
    spec.block = json.at("block").get<std::string>();
    for (const Json& level : json.at("levels")) spec.levels.push_back(level_from_json(level));
    spec.seed = json.at("seed").get<std::uint64_t>();
    spec.config = config_from_json(json.at("config"));
    spec.data = corpus_facts_from_json(json.at("data"));
    return spec;
  } catch (const Json::exception& e) {
    fail(ExitCode::kBadInput, "run spec: {}", e.what());
  }
}

}  // namespace sweep
