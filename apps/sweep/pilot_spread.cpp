#include "pilot_spread.h"

#include "sweep/analysis/pilot.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {

std::optional<double> pilot_sd_of(const Prereg& prereg) {
  if (!pilot_problem(prereg).empty()) return std::nullopt;
  const auto facts = survey_pilot(prereg);
  if (!facts) return std::nullopt;
  constexpr double kDelta = 0.3;
  return pilot_sd(*facts, degraded_delta(prereg.definitions).value_or(kDelta));
}

}  // namespace sweep
