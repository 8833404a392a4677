#include "sweep/prereg/gates.h"

#include "prereg/rules.h"
#include "prereg/shape.h"

namespace sweep {
namespace {

std::vector<Key> override_keys() {
  std::vector<Key> keys;
  for (const GateRule& rule : gate_rules()) {
    if (rule.refuses) keys.push_back({rule.name, shape::text(), false});
  }
  return keys;
}

}  // namespace

const std::vector<GateRule>& gate_rules() {
  static const std::vector<GateRule> rules = {
      {"outcomes",
       "a rule that cannot come out supported, contradicted and inconclusive under this plan is "
       "decided before the first run"},
      {"attainable_p",
       "with few seeds an exact test has a smallest possible p; above the registered one it can "
       "only fail"},
      {"baseline", "an effect needs an arm without it, and the control is the first arm"},
      {"seeds",
       "thresholds over all seeds fall with their number, so arms are compared at equal, stated "
       "numbers"},
      {"grid_reach",
       "a boundary outside of the grid is never seen, and a range without a level is never judged"},
      {"quorums", "more strata or seeds than the plan has can never hold"},
      {"correction_family",
       "a p that is corrected for fewer hypotheses than were registered is too small"},
      {"power", "a plan that seldom finds the effect it expects says little when it does not",
       false},
      {"divergence_rule",
       "runs that break end below their initial loss as a rule, so that rule alone almost never "
       "fires",
       false},
      {"warmup", "a warm-up of fixed length is another share of a shorter run", false},
  };
  return rules;
}

const GateRule* find_gate(const std::string& name) {
  for (const GateRule& rule : gate_rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<GateOverride> gate_overrides(const Prereg& prereg) {
  std::vector<GateOverride> overrides;
  if (!prereg.gates.contains("override")) return overrides;
  for (const auto& [gate, reason] : prereg.gates.at("override").items()) {
    overrides.push_back({gate, reason.get<std::string>()});
  }
  return overrides;
}

Shape gates_shape() { return shape::map({{"override", shape::map(override_keys())}}); }

Json read_gates(const YamlNode& node, Diagnostics& out) {
  return gates_shape()(node, "gates", out);
}

}  // namespace sweep
