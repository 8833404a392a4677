#pragma once

#include <span>
#include <string>

namespace sweep {

/// One word of `measure.mechanism`. Formula and source stand in docs/definitions.md, "Mechanism";
/// room gpt has the function of each.
struct MechanismQuantity {
  std::string name;
  std::string help;  ///< one sentence
};

/// In the order in which they are listed everywhere.
std::span<const MechanismQuantity> mechanism_quantities();

}  // namespace sweep
