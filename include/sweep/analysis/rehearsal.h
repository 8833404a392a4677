#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/simulation.h"
#include "sweep/analysis/verdict.h"

namespace sweep {

inline constexpr std::size_t kVerdictKinds = 5;

/// What the registered rules of one hypothesis said, counted over sets.
struct RuleCounts {
  std::string id;
  std::array<std::size_t, kVerdictKinds> verdicts{};  ///< by `VerdictKind`
  std::size_t supported_held = 0;                     ///< sets in which supported_if was true
  std::size_t contradicted_held = 0;
  [[nodiscard]] std::size_t of(VerdictKind kind) const {
    return verdicts[static_cast<std::size_t>(kind)];
  }
};

struct WorldCounts {
  World world;
  std::vector<RuleCounts> hypotheses;  ///< in registered order
};

/// The smallest effect that a hypothesis' supported_if finds often enough.
struct SmallestEffect {
  std::string id;
  std::optional<World> world;  ///< nullopt: none of the scales was found
  double share = 0;            ///< of sets judged "supported" in it; else the largest share seen
};

struct Rehearsal {
  std::size_t sets = 0;       ///< per world
  std::size_t scan_sets = 0;  ///< per scale
  std::vector<WorldCounts> worlds;
  std::vector<double> scales;  ///< of the expected effect that were tried, ascending
  std::vector<SmallestEffect> smallest;
};

inline constexpr double kFoundOften = 0.8;

/// Sets of results judged by the registered rules, world by world, and the expected effect scaled
/// from a tenth to twice its size. Equal arguments give equal counts, however many threads count.
Rehearsal rehearse(const Prereg& prereg, const Scene& scene, std::size_t sets, std::uint64_t seed);

/// One set, judged as a sweep's records would be.
std::vector<Verdict> judge_set(const Prereg& prereg, const Scene& scene, const World& world,
                               const std::vector<Curve>& curves);

/// Sentences on rules that never held in any set, and on hypotheses whose two rules held at once.
std::vector<std::string> rule_warnings(const Rehearsal& rehearsal);

}  // namespace sweep
