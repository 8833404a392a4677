#pragma once

#include <string>
#include <vector>

#include "sweep/analysis/gates.h"

namespace sweep {

/// What a gate objects to, and what would help.
struct Objection {
  std::string found;
  std::string todo;
};
using Objections = std::vector<Objection>;

/// What all gates look at.
struct GatePlan {
  const Prereg& prereg;
  const Scene& scene;
  const std::vector<Outcomes>& outcomes;
  std::vector<Hypothesis> hypotheses;
  AnalysisPlan analysis;
  Analysis strata;  ///< with strata and axis only
};

GatePlan gate_plan_of(const Prereg& prereg, const Scene& scene,
                      const std::vector<Outcomes>& outcomes);

/// What the gate of that name objects to; empty when the plan passes.
Objections objections_of(const std::string& gate, const GatePlan& plan);

}  // namespace sweep
