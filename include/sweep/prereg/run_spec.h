#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/prereg/config.h"

namespace sweep {

/// One setting that tells a run from its neighbours: field path (or linked group) and level.
struct Level {
  std::string factor;  ///< "train.learning_rate", or a group's name such as "size"
  Json value;          ///< a number, a word, or a linked group's settings
  bool operator==(const Level&) const = default;
};

/// What a run is for. Findings and verdicts rest on the main block alone; robustness blocks (one
/// per registered change of settings, named in words) and exploratory runs are reported apart.
inline constexpr const char* kMainBlock = "main";
inline constexpr const char* kRobustnessPrefix = "robustness: ";
inline constexpr const char* kExploratoryBlock = "exploratory";

/// One run of the plan, complete: training needs nothing else but the token file it names.
struct RunSpec {
  std::string id;  ///< qknorm-L4-lr3e-2-s1-1f3a9c2e: the cell in words and a hash of its content
  std::string arm;
  std::string block = "main";  ///< kMainBlock, "robustness: CHANGE", or kExploratoryBlock
  std::vector<Level> levels;   ///< in grid order, the seed not among them
  std::uint64_t seed = 0;
  Config config;
  CorpusFacts data;
  bool operator==(const RunSpec&) const = default;
};

Json to_json(const RunSpec& spec);
RunSpec run_spec_from_json(const Json& json);

/// Parameter counts, in closed form; a test of room gpt compares them with the model itself.
struct ParameterCounts {
  std::int64_t total = 0;
  std::int64_t nanogpt = 0;        ///< total without the position table (nanoGPT get_num_params)
  std::int64_t non_embedding = 0;  ///< without token and position tables and an untied head
  std::int64_t qk_norm = 0;        ///< what QK-norm adds, contained in all three
  bool operator==(const ParameterCounts&) const = default;
};

ParameterCounts count_parameters(const ModelConfig& model);

}  // namespace sweep
