#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/convergence.h"
#include "sweep/analysis/gap.h"
#include "sweep/analysis/judge.h"
#include "sweep/analysis/losses.h"
#include "sweep/analysis/lr_sensitivity.h"
#include "sweep/analysis/max_stable_lr.h"
#include "sweep/analysis/necessity_lr.h"

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
  std::vector<CurveAnalysis> curves;          ///< by stratum, then arm
  std::vector<Necessity> necessity;           ///< by stratum, then treatment arm
  std::vector<GapCurve> gaps;                 ///< by stratum: as registered, else each treatment's
  std::vector<ConvergenceCurve> convergence;  ///< by stratum, then arm; empty unless registered
};

/// The findings by `definitions`, which need not be the registered ones: conclusions are judged
/// again under others to see what they hang on. `curves` come from `group`.
Analysis analyse(const Prereg& prereg, const Definitions& definitions,
                 const std::vector<Curve>& curves, const std::vector<PilotBest>& pilot = {});

/// nullptr when that stratum has none.
const Necessity* find_necessity(const Analysis& analysis, const std::string& treatment,
                                const Stratum& stratum);
const GapCurve* find_gap(const Analysis& analysis, const Stratum& stratum);
const ConvergenceCurve* find_convergence(const Analysis& analysis, const std::string& arm,
                                         const Stratum& stratum);

/// nullptr when the stratum has no run of that arm.
const CurveAnalysis* find_curve(const Analysis& analysis, const std::string& arm,
                                const Stratum& stratum);

}  // namespace sweep
