#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpt/mechanism_sums.h"

namespace sweep {

/// One quantity of `measure.mechanism`: what it needs, and its values under its own name and, of
/// layers, heads and other parts, under NAME/...; none when nothing was there to see.
struct MechanismFormula {
  bool WantedSums::* needs;
  NamedValues (*values)(const std::string& name, const MechanismSums& sums);
};

/// One row per quantity; together they are `mechanism_quantities()`.
const std::map<std::string, MechanismFormula>& mechanism_formulas();

WantedSums wanted_sums(const std::vector<std::string>& quantities);

/// In the order in which the quantities are named. Formula, source and names of each stand in
/// docs/definitions.md, "Mechanism".
NamedValues mechanism_values(const std::vector<std::string>& quantities, const MechanismSums& sums);

}  // namespace sweep
