#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/rehearsal.h"
#include "sweep/prereg/gates.h"

namespace sweep {

/// A result set made by hand, so to say: a world without scatter, some runs perhaps missing, and
/// what the registered rules make of it.
struct ConstructedSet {
  World world;
  std::vector<std::string> missing;  ///< ids of runs without a result
  Analysis analysis;
  Verdict verdict;
};

/// One hypothesis and the sets that give it each verdict.
struct Outcomes {
  std::string id;
  std::optional<ConstructedSet> supported;
  std::optional<ConstructedSet> contradicted;
  std::optional<ConstructedSet> inconclusive;
  std::size_t tried = 0;  ///< sets that were looked at
};

/// Looks through worlds (effects of every sign and size, in every arm and in all) and through sets
/// with missing runs, the plainest first, until each hypothesis has come out in each of the three
/// ways or the search is at its end. Pure; a fixed search, so equal arguments find equal sets.
std::vector<Outcomes> constructed_outcomes(const Prereg& prereg, const Scene& scene);

struct GateResult {
  enum class Outcome {
    kPassed,
    kWarning,
    kRefused,
    kOverridden,  ///< would refuse, and the file sets it aside with a reason
  };
  std::string gate;
  Outcome outcome = Outcome::kPassed;
  std::string found;   ///< what was found
  std::string todo;    ///< what to do about it; "" when passed
  std::string reason;  ///< the file's, when overridden
};

/// Every gate, in the order of `gate_rules`; one that finds several things gives one result each.
/// Empty for a pre-registration without hypotheses. `scene` is `plain_scene` of its plan.
std::vector<GateResult> gate_results(const Prereg& prereg, const Scene& scene,
                                     const std::vector<Outcomes>& outcomes);

/// Those that refuse.
std::vector<GateResult> refusals(const std::vector<GateResult>& results);

/// For `register` and `run`: throws `Error` (`kBadInput`) naming every gate that refuses, what it
/// found and what to do.
void enforce_gates(const Prereg& prereg, const std::vector<RunSpec>& plan);

}  // namespace sweep
