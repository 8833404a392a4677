#pragma once

#include <optional>
#include <vector>

#include "sweep/analysis/convergence.h"
#include "sweep/record/pilot.h"

namespace sweep {

/// The lowest seed-mean final loss of each arm and stratum; a cell with a non-finite run has none.
std::vector<PilotBest> pilot_best(const PilotFacts& facts);

/// Root mean square over cells of the deviation between seeds, nats; of the cells whose mean lies
/// within `delta` of their arm's and stratum's best, since beyond the boundary seeds scatter as the
/// boundary does. nullopt without a cell of two finite runs.
std::optional<double> pilot_sd(const PilotFacts& facts, double delta);

}  // namespace sweep
