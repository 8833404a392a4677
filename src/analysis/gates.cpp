#include "sweep/analysis/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/gate_checks.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

GateResult result_of(const GatePlan& plan, const GateRule& rule, const Objection& objection) {
  GateResult result{rule.name, GateResult::Outcome::kWarning, objection.found, objection.todo, ""};
  if (!rule.refuses) return result;
  result.outcome = GateResult::Outcome::kRefused;
  for (const GateOverride& set_aside : gate_overrides(plan.prereg)) {
    if (set_aside.gate != rule.name) continue;
    result.outcome = GateResult::Outcome::kOverridden;
    result.reason = set_aside.reason;
  }
  return result;
}

}  // namespace

std::vector<GateResult> gate_results(const Prereg& prereg, const Scene& scene,
                                     const std::vector<Outcomes>& outcomes) {
  if (prereg.hypotheses.empty()) return {};
  const GatePlan plan = gate_plan_of(prereg, scene, outcomes);
  std::vector<GateResult> results;
  for (const GateRule& rule : gate_rules()) {
    const Objections objections = objections_of(rule.name, plan);
    if (objections.empty()) {
      results.push_back({rule.name, GateResult::Outcome::kPassed, "", "", ""});
    }
    for (const Objection& objection : objections) {
      results.push_back(result_of(plan, rule, objection));
    }
  }
  return results;
}

std::vector<GateResult> refusals(const std::vector<GateResult>& results) {
  std::vector<GateResult> refused;
  std::copy_if(results.begin(), results.end(), std::back_inserter(refused),
               [](const auto& result) { return result.outcome == GateResult::Outcome::kRefused; });
  return refused;
}

void enforce_gates(const Prereg& prereg, const std::vector<RunSpec>& plan) {
  if (prereg.hypotheses.empty()) return;
  const Scene scene = plain_scene(prereg, plan);
  const auto refused = refusals(gate_results(prereg, scene, constructed_outcomes(prereg, scene)));
  if (refused.empty()) return;
  std::string text;
  for (const GateResult& result : refused) {
    text += fmt::format("gate {}: {}\n  why: {}\n  do: {}\n", result.gate, result.found,
                        find_gate(result.gate)->why, result.todo);
  }
  fail(ExitCode::kBadInput,
       "{}the plan is not admissible; 'gates: {{override: {{NAME: REASON}}}}' in the file sets a "
       "gate aside, and the verdicts then say so",
       text);
}

}  // namespace sweep
