#pragma once

#include <vector>

#include "sweep/analysis/mechanism.h"
#include "sweep/analysis/training_health.h"
#include "sweep/base/json.h"

namespace sweep {

// Parts of report.json under the keys `mechanism` and `training_health`.

/// null when nothing was measured.
Json mechanism_json(const MechanismAnalysis& mechanism);
Json health_json(const std::vector<CellHealth>& cells);

}  // namespace sweep
