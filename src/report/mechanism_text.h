#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/mechanism.h"
#include "sweep/report/table.h"

namespace sweep {

/// A value of the mechanism as readers see it, over all layers.
struct ShownQuantity {
  std::string name;     ///< in metrics.jsonl
  std::string heading;  ///< of a narrow column
};

/// What the tables show, in their order; those that were measured.
std::vector<ShownQuantity> shown_quantities(const MechanismAnalysis& mechanism);

/// About three digits whatever the size: 0.0068, 0.26, 28.1, 389, 3.9e4, inf.
std::string sized_text(double value);

/// "389 (210–1.2e3)": median and range over seeds, the median as the value.
TableCell range_cell(const std::optional<SeedRange>& range);

/// nullptr when the arm has no cell there.
const CellMechanism* find_cell(const CurveMechanism& curve, double x);
const CurveMechanism* find_curve(const MechanismAnalysis& mechanism, const std::string& arm,
                                 const Stratum& stratum);

}  // namespace sweep
