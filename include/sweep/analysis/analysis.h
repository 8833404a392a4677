#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/judge.h"
#include "sweep/analysis/losses.h"
#include "sweep/analysis/lr_sensitivity.h"
#include "sweep/analysis/max_stable_lr.h"

namespace sweep {

/// Everything that is found out about one arm in one stratum.
struct CurveAnalysis {
  Curve curve;  ///< judged
  std::optional<BestCell> best;
  std::optional<double> own_reference;         ///< of `degraded`, same arm and stratum
  std::optional<double> stratum_reference;     ///< the same over all arms
  MaxStableLr max_stable;                      ///< as registered
  MaxStableLr max_stable_strict;               ///< the same with diverged runs as the only failures
  CurveSensitivity sensitivity;                ///< as registered
  CurveSensitivity sensitivity_equal;          ///< all points, equal weights
  CurveSensitivity sensitivity_log_trapezoid;  ///< all points, log-trapezoid
  CurveSensitivity sensitivity_wortsman;       ///< Wortsman's seven, equal weights
};

/// The findings of a sweep, computed by its registered definitions.
struct Analysis {
  std::string axis;  ///< field path
  std::vector<std::string> arms;
  std::vector<Stratum> strata;
  std::vector<std::uint64_t> seeds;
  std::vector<CurveAnalysis> curves;  ///< by stratum, then arm
};

Analysis analyse(const Prereg& prereg, const std::vector<RunRecord>& records,
                 const FloorTable& floors);

/// nullptr when the stratum has no run of that arm.
const CurveAnalysis* find_curve(const Analysis& analysis, const std::string& arm,
                                const Stratum& stratum);

}  // namespace sweep
