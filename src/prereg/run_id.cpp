#include "prereg/run_id.h"

#include <fmt/format.h>

#include "sweep/base/hash.h"

namespace sweep {
namespace {

/// File systems allow 255 bytes; temporary files add to a name.
constexpr std::size_t kLongestCell = 120;

}  // namespace

std::string run_id(const std::string& cell, const RunSpec& spec) {
  Json content;
  content["config"] = to_json(spec.config);
  content["seed"] = spec.seed;
  content["data"] = spec.data.hash;
  return fmt::format("{}-s{}-{}", cell.substr(0, kLongestCell), spec.seed,
                     sha256(to_line(content)).substr(0, 8));
}

}  // namespace sweep
