#include "gpt/meter_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double number_of(const at::Tensor& x) { return x.item<double>(); }

Numbers numbers_of(const at::Tensor& x) {
  const at::Tensor flat = x.to(at::kCPU, at::kDouble).contiguous().flatten();
  const auto* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

double square_sum(const at::Tensor& x) { return number_of(x.square().sum(at::kDouble)); }

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

Numbers finite_or_infinite(Numbers values) {
  for (double& value : values) value = std::isfinite(value) ? value : kInfinity;
  return values;
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

std::optional<std::size_t> layer_of(const std::string& parameter) {
  constexpr std::string_view kBlocks = "transformer.h.";
  if (!parameter.starts_with(kBlocks)) return std::nullopt;
  return std::stoul(parameter.substr(kBlocks.size()));
}

}  // namespace sweep
