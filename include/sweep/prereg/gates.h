#pragma once

#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// What a plan with hypotheses is asked before its first run (docs/definitions.md, "Gates").
struct GateRule {
  std::string name;     ///< key in gates.override
  std::string why;      ///< why it matters, one sentence
  bool refuses = true;  ///< else it only warns
};
const std::vector<GateRule>& gate_rules();
/// nullptr when there is none of that name.
const GateRule* find_gate(const std::string& name);

/// A gate that the file sets aside, and why; verdicts say so.
struct GateOverride {
  std::string gate;
  std::string reason;
  bool operator==(const GateOverride&) const = default;
};
std::vector<GateOverride> gate_overrides(const Prereg& prereg);

}  // namespace sweep
