#include "report/mechanism_json.h"

#include <cmath>

namespace sweep {
namespace {

Json onset_json(const std::optional<Onset>& onset) {
  if (!onset) return nullptr;
  return {{"step", onset->step},
          {"not_before", onset->not_before ? Json(*onset->not_before) : Json()}};
}

Json steps_json(const RunMechanism& run) {
  Json steps = Json::array();
  for (const RunSeries::Mechanism& step : run.steps) {
    Json values = Json::object();
    for (const auto& [name, value] : step.values) put_number(values, name, value);
    steps.push_back({{"step", step.step}, {"values", std::move(values)}});
  }
  return steps;
}

Json run_json(const RunMechanism& run, const std::vector<MechanismThreshold>& thresholds) {
  Json json = {{"seed", run.seed}, {"id", run.id}, {"steps", steps_json(run)}};
  json["worse_from"] = onset_json(run.loss);
  json["passed"] = Json::object();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    json["passed"][thresholds[i].name] = onset_json(run.passages[i]);
  }
  return json;
}

Json thresholds_json(const std::vector<MechanismThreshold>& thresholds) {
  Json list = Json::array();
  for (const MechanismThreshold& threshold : thresholds) {
    list.push_back({{"name", threshold.name},
                    {"quantity", threshold.quantity},
                    {"bound", threshold.bound},
                    {"share_of_most", threshold.share_of_most},
                    {"meaning", threshold.meaning},
                    {"source", threshold.source}});
  }
  return list;
}

Json crossing_json(const Finding<std::optional<double>>& crossing) {
  const auto* level = value_of(crossing);
  if (level == nullptr) {
    const auto& why = std::get<Undefined>(crossing);
    return {{"level", nullptr}, {"reason", why.reason}, {"runs", why.runs}};
  }
  return {{"level", *level ? Json(**level) : Json()}};
}

Json counts_json(const PassageCounts& counts) {
  return {{"before", counts.before},     {"undecided", counts.undecided},
          {"after", counts.after},       {"without", counts.without},
          {"harmless", counts.harmless}, {"neither", counts.neither}};
}

Json place(const CurveMechanism& curve) {
  return {{"arm", curve.arm}, {"stratum", to_json(curve.stratum)}};
}

void add_curve(Json& json, const CurveMechanism& curve,
               const std::vector<MechanismThreshold>& thresholds) {
  for (const CellMechanism& cell : curve.cells) {
    Json one = place(curve);
    one["x"] = cell.x;
    one["runs"] = Json::array();
    for (const RunMechanism& run : cell.runs) one["runs"].push_back(run_json(run, thresholds));
    json["cells"].push_back(std::move(one));
  }
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    Json one = place(curve);
    one["threshold"] = thresholds[i].name;
    one["any_seed"] = crossing_json(curve.crossings[i].any_seed);
    one["every_seed"] = crossing_json(curve.crossings[i].every_seed);
    one["runs"] = counts_json(curve.passages[i]);
    json["crossings"].push_back(std::move(one));
  }
}

Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

}  // namespace

Json mechanism_json(const MechanismAnalysis& mechanism) {
  if (mechanism.curves.empty()) return nullptr;
  Json json = {{"last_step", mechanism.last_step},
               {"worse_by", mechanism.worse_by},
               {"thresholds", thresholds_json(mechanism.thresholds)},
               {"cells", Json::array()},
               {"crossings", Json::array()}};
  for (const CurveMechanism& curve : mechanism.curves) {
    add_curve(json, curve, mechanism.thresholds);
  }
  return json;
}

Json health_json(const std::vector<CellHealth>& cells) {
  Json list = Json::array();
  for (const CellHealth& cell : cells) {
    Json json = {{"arm", cell.arm}, {"stratum", to_json(cell.stratum)}, {"x", cell.x}};
    json["runs"] = Json::array();
    for (const TrainingHealth& run : cell.runs) {
      json["runs"].push_back({{"seed", run.seed},
                              {"id", run.id},
                              {"grad_norm_p50", optional_number(run.grad_norm_p50)},
                              {"grad_norm_p99_9", optional_number(run.grad_norm_p99_9)},
                              {"clip_share", run.clip_share},
                              {"lines", run.lines},
                              {"spikes", run.spikes},
                              {"spikes_per_10k", run.spikes_per_10k}});
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sweep
