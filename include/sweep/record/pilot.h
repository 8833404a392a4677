#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// One cell of a pilot: runs that differ in nothing but their seed.
struct PilotCell {
  std::string arm;
  std::vector<Level> stratum;  ///< levels of the sweep's strata, taken from the pilot's settings
  double x = 0;                ///< level of the sweep's axis
  /// Final losses by ascending seed, nats; nullopt: the run went non-finite.
  std::vector<std::optional<double>> final_losses;
  bool operator==(const PilotCell&) const = default;
};

/// What is kept of a pilot: enough to report the sweep on a machine that does not have it.
struct PilotFacts {
  std::string sweep;  ///< as the pre-registration names it
  std::string hash;   ///< SHA-256 over its lock.json and every result.json
  std::vector<std::uint64_t> seeds;
  std::vector<PilotCell> cells;
  bool operator==(const PilotFacts&) const = default;
};

Json to_json(const PilotFacts& facts);
PilotFacts pilot_facts_from_json(const Json& json);

/// Where the pilot of a pre-registration lies; nullopt when it has none.
std::optional<SweepDir> pilot_of(const Prereg& prereg);

/// Reads the pilot's sweep. nullopt when the pre-registration has none. Throws `Error`
/// (`kBadInput`) when it is not there, not complete, has other seeds than were declared, or lacks
/// the axis or an arm of the same name.
std::optional<PilotFacts> survey_pilot(const Prereg& prereg);

/// Why `survey_pilot` would throw; "" when it would not.
std::string pilot_problem(const Prereg& prereg);

/// Writes pilot.json into the sweep's folder and returns its SHA-256 for the lock.
std::string store_pilot(const PilotFacts& facts, const SweepDir& sweep);

/// What `store_pilot` wrote; nullopt when the sweep has none.
std::optional<PilotFacts> read_pilot(const SweepDir& sweep);

}  // namespace sweep
