#pragma once

#include <vector>

#include "sweep/analysis/gates.h"
#include "sweep/analysis/rehearsal.h"
#include "sweep/report/table.h"

namespace sweep {

/// What was assumed of the worlds, number by number; `sources` says where the scatter and the
/// vocabulary come from.
struct AssumptionSources {
  std::string sd;          ///< "--sd", "pilot.sweep", "assumed"
  std::string jitter;      ///< the same
  std::string vocabulary;  ///< "corpus", "--vocab", "assumed"
};
Table assumptions_table(const Scene& scene, const AssumptionSources& sources);

/// Share of each verdict, by world and hypothesis.
Table shares_table(const Rehearsal& rehearsal);

/// The smallest effect that each hypothesis finds in most sets.
Table smallest_effect_table(const Rehearsal& rehearsal);

/// What the gates said of a plan.
Table gates_table(const std::vector<GateResult>& results);

/// The constructed sets that make a hypothesis come out in each way, a table of losses each.
std::vector<Table> outcome_tables(const Outcomes& outcomes);

}  // namespace sweep
