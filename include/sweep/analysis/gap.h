#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// Final loss of one seed in two arms, subtracted, each taken as min(l, l0), with l0 for a run that
/// went non-finite.
struct GapPoint {
  double x = 0;
  std::vector<std::pair<std::uint64_t, Finding<double>>> per_seed;  ///< minuend - subtrahend, nats
  Finding<Spread> over_seeds = Undefined{};  ///< undefined while a pair is incomplete
};

/// The paired differences of one stratum, x ascending.
struct GapCurve {
  std::string minuend;
  std::string subtrahend;
  Stratum stratum;
  std::vector<GapPoint> points;
};

GapCurve gap_curve(const Curve& minuend, const Curve& subtrahend);

/// min(l, l0), l0 for a non-finite run; undefined when the run is missing or its l0 not finite.
Finding<double> bounded_loss(const CellRun* run);

/// One seed's gaps over the levels in [low, high].
struct RangeGap {
  std::vector<double> levels;
  std::vector<double> values;  ///< one per level
  double mean = 0;
};
/// Undefined when a pair is incomplete or no level lies in the range.
Finding<RangeGap> gap_in(const GapCurve& curve, std::uint64_t seed, double low, double high);

}  // namespace sweep
