#include "gpt/named_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double largest(const Numbers& values) {
  double result = -kInfinity;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    result = std::max(result, value);
  }
  return result;
}

double smallest(Numbers values) {
  for (double& value : values) value = -value;
  return -largest(values);
}

double mean_of(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Numbers flattened(const std::vector<Numbers>& by_head) {
  Numbers all;
  for (const Numbers& heads : by_head) all.insert(all.end(), heads.begin(), heads.end());
  return all;
}

std::string in_layer(const std::string& name, std::size_t layer) {
  return fmt::format("{}/L{}", name, layer);
}

NamedValues with_layers(const std::string& name, double overall, const Numbers& by_layer) {
  NamedValues values{{name, overall}};
  for (std::size_t i = 0; i < by_layer.size(); ++i) {
    values.emplace_back(in_layer(name, i), by_layer[i]);
  }
  return values;
}

NamedValues with_heads(const std::string& name, double overall, const Numbers& by_layer,
                       const std::vector<Numbers>& by_head) {
  NamedValues values{{name, overall}};
  for (std::size_t i = 0; i < by_layer.size(); ++i) {
    values.emplace_back(in_layer(name, i), by_layer[i]);
    for (std::size_t head = 0; head < by_head[i].size(); ++head) {
      values.emplace_back(fmt::format("{}/L{}/H{}", name, i, head), by_head[i][head]);
    }
  }
  return values;
}

NamedValues with_places(const std::string& name, double overall, Numbers by_place) {
  const double out = by_place.back();
  by_place.pop_back();
  NamedValues values = with_layers(name, overall, by_place);
  values.emplace_back(name + "/out", out);
  return values;
}

}  // namespace sweep
