#include "sweep/record/metrics.h"

#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

void put_optional(Json& json, const char* key, const std::optional<double>& value) {
  if (value) put_number(json, key, *value);
}

std::optional<double> get_optional(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return get_number(json, key);
}

}  // namespace

Json to_json(const MetricPoint& point) {
  Json json = {{"step", point.step}};
  put_optional(json, "train_loss", point.train_loss);
  put_optional(json, "lr", point.lr);
  put_optional(json, "grad_norm", point.grad_norm);
  put_optional(json, "val_loss", point.val_loss);
  if (point.mechanism.empty()) return json;
  Json mechanism = Json::object();
  for (const auto& [name, value] : point.mechanism) put_number(mechanism, name, value);
  json["mechanism"] = std::move(mechanism);
  return json;
}

MetricPoint metric_point_from_json(const Json& json) {
  MetricPoint point;
  json.at("step").get_to(point.step);
  point.train_loss = get_optional(json, "train_loss");
  point.lr = get_optional(json, "lr");
  point.grad_norm = get_optional(json, "grad_norm");
  point.val_loss = get_optional(json, "val_loss");
  if (!json.contains("mechanism")) return point;
  const Json& mechanism = json.at("mechanism");
  for (const auto& [name, value] : mechanism.items()) {
    if (name != "nonfinite") point.mechanism.emplace_back(name, get_number(mechanism, name));
  }
  return point;
}

std::vector<MetricPoint> read_metrics(const std::filesystem::path& file) {
  std::vector<MetricPoint> points;
  for (const auto& line : read_lines(file)) {
    try {
      points.push_back(metric_point_from_json(Json::parse(line)));
    } catch (const Json::exception& e) {
      fail(ExitCode::kBadInput, "{}:{}: damaged line ({})", file.string(), points.size() + 1,
           e.what());
    }
  }
  return points;
}

}  // namespace sweep
