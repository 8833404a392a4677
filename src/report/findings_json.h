#pragma once

#include "sweep/analysis/effects.h"
#include "sweep/analysis/fragility.h"
#include "sweep/base/json.h"

namespace sweep {

// Parts of report.json, each under the key of its name (docs/schemas/report.schema.json).

Json necessity_json(const Analysis& analysis);
Json gap_json(const Analysis& analysis);
Json convergence_json(const Analysis& analysis);
Json range_effects_json(const std::vector<RangeEffect>& effects);
Json necessity_slope_json(const std::vector<NecessitySlope>& slopes);
Json verdicts_json(const std::vector<Verdict>& verdicts);
Json fragility_json(const Fragility& fragility);

/// null for nullopt.
Json optional_json(const std::optional<double>& value);
Json optional_json(const std::optional<bool>& value);

}  // namespace sweep
