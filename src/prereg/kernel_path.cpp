#include "sweep/prereg/kernel_path.h"

#include <vector>

namespace sweep {
namespace {

/// The base, and the base with each setting of an arm or the grid by itself: what `kFused` asks of
/// a config is asked of each field apart, so no combination needs to be looked at.
std::vector<Config> single_changes(const Prereg& prereg) {
  std::vector<Config> configs = {prereg.base};
  const auto add = [&](const std::string& path, const Value& value) {
    const Field* field = find_field(path);
    if (field == nullptr) return;
    configs.push_back(prereg.base);
    field->set(configs.back(), value);
  };
  for (const Arm& arm : prereg.arms) {
    for (const auto& [path, value] : arm.settings) add(path, value);
  }
  for (const Factor& factor : prereg.grid) {
    for (const std::vector<Value>& level : factor.levels) {
      for (std::size_t i = 0; i < factor.paths.size(); ++i) add(factor.paths[i], level[i]);
    }
  }
  return configs;
}

/// Whether a robustness block touches one of the fields in question: then it may need `kPlain`.
bool names_what_is_asked_for(const Json& robustness) {
  const std::string text = robustness.dump();
  for (const char* field : {"dropout", "dtype"}) {
    if (text.find(field) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string to_string(KernelPath path) { return path == KernelPath::kFused ? "fused" : "plain"; }

std::optional<KernelPath> kernel_path_named(std::string_view name) {
  if (name == "plain") return KernelPath::kPlain;
  if (name == "fused") return KernelPath::kFused;
  return std::nullopt;
}

KernelPath fastest_kernel_path(const Config& config) {
  const bool can = config.train.device == "cpu" && config.train.dtype == Dtype::kFloat32 &&
                   config.model.dropout == 0;
  return can ? KernelPath::kFused : KernelPath::kPlain;
}

KernelPath fastest_kernel_path(const Prereg& prereg) {
  if (names_what_is_asked_for(prereg.robustness)) return KernelPath::kPlain;
  for (const Config& config : single_changes(prereg)) {
    if (fastest_kernel_path(config) == KernelPath::kPlain) return KernelPath::kPlain;
  }
  return KernelPath::kFused;
}

}  // namespace sweep
