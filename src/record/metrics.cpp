#include "sweep/record/metrics.h"

#include <string_view>
#include <utility>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr const char* kNonfinite = "nonfinite";

void put_optional(Json& json, const char* key, const std::optional<double>& value) {
  if (value) put_number(json, key, *value);
}

std::optional<double> get_optional(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return get_number(json, key);
}

/// "max_attention_logit/L0/H3" is number 3 of the list "max_attention_logit/L0/H"; nullopt for a
/// name that is of no list.
std::optional<std::pair<std::string, std::size_t>> place_in_list(const std::string& name) {
  const auto at = name.rfind("/H");
  if (at == std::string::npos) return std::nullopt;
  const auto number = parse_integer(std::string_view(name).substr(at + 2));
  if (!number || *number < 0) return std::nullopt;
  return std::pair(name.substr(0, at + 2), static_cast<std::size_t>(*number));
}

Json mechanism_json(const MetricPoint& point) {
  Json json = Json::object();
  for (const auto& [name, value] : point.mechanism) {
    const auto place = place_in_list(name);
    const std::size_t size = place && json.contains(place->first) ? json[place->first].size() : 0;
    if (!place || place->second != size) {
      put_number(json, name, value);
      continue;
    }
    Json element = Json::object();
    put_number(element, name, value);
    json[place->first].push_back(element[name]);
    if (element.contains(kNonfinite)) json[kNonfinite].update(element[kNonfinite]);
  }
  return json;
}

/// An element of a list says in the object's `nonfinite`, under its own name, what it is not.
double listed_number(const Json& mechanism, const std::string& name, const Json& element) {
  if (element.is_number()) return element.get<double>();
  return get_number({{name, element}, {kNonfinite, mechanism.value(kNonfinite, Json::object())}},
                    name);
}

void read_mechanism(const Json& mechanism, MetricPoint& point) {
  for (const auto& [key, value] : mechanism.items()) {
    if (key == kNonfinite) continue;
    if (!value.is_array()) {
      point.mechanism.emplace_back(key, get_number(mechanism, key));
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string name = key + std::to_string(i);
      point.mechanism.emplace_back(name, listed_number(mechanism, name, value[i]));
    }
  }
}

}  // namespace

Json to_json(const MetricPoint& point) {
  Json json = {{"step", point.step}};
  put_optional(json, "train_loss", point.train_loss);
  put_optional(json, "lr", point.lr);
  put_optional(json, "grad_norm", point.grad_norm);
  put_optional(json, "val_loss", point.val_loss);
  if (!point.mechanism.empty()) json["mechanism"] = mechanism_json(point);
  return json;
}

MetricPoint metric_point_from_json(const Json& json) {
  MetricPoint point;
  json.at("step").get_to(point.step);
  point.train_loss = get_optional(json, "train_loss");
  point.lr = get_optional(json, "lr");
  point.grad_norm = get_optional(json, "grad_norm");
  point.val_loss = get_optional(json, "val_loss");
  if (json.contains("mechanism")) read_mechanism(json.at("mechanism"), point);
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
