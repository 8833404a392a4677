#include "sizes.h"

#include <fmt/format.h>

#include <map>

#include "sweep/base/json.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// What a run's time depends on.
std::string size_key(const RunSpec& spec) {
  const auto& [model, data, train, measure] = spec.config;
  return to_line(Json{spec.block, to_json(spec.config).at("model"), spec.data.hash, train.max_iters,
                      train.batch_size, static_cast<int>(train.dtype), train.device,
                      measure.eval_interval, measure.eval_tokens, measure.mechanism,
                      measure.mechanism_iters});
}

}  // namespace

std::vector<Size> sizes_of(const std::vector<RunSpec>& plan) {
  std::vector<Size> sizes;
  std::map<std::string, std::size_t> index;
  for (const auto& spec : plan) {
    const auto [entry, fresh] = index.emplace(size_key(spec), sizes.size());
    if (fresh) sizes.push_back({spec, 0, count_parameters(spec.config.model), std::nullopt});
    ++sizes[entry->second].runs;
  }
  return sizes;
}

std::string describe(const Size& size, const Roles& roles) {
  std::vector<std::string> parts = {size.example.arm};
  if (size.example.block != kMainBlock) parts.push_back(size.example.block);
  for (const auto& level : size.example.levels) {
    if (level.factor == roles.axis) continue;
    const auto* field = find_field(level.factor);
    parts.push_back(
        (field != nullptr ? field->label : level.factor) + " " +
        (level.value.is_number() ? format_number(level.value.get<double>()) : level.value.dump()));
  }
  return join(parts, ", ");
}

}  // namespace sweep
