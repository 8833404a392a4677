#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// The lowest level from which on the control fails where the treatment does not.
struct NecessityLr {
  enum class Kind {
    kInterval,       ///< in (lower, upper]: not needed at lower, needed at upper
    kLeftCensored,   ///< at most upper, the grid's lowest level
    kRightCensored,  ///< above lower, the grid's top: never needed on this grid
    kNoWindow,       ///< wherever the control fails, the treatment fails, too; no bounds
  };
  Kind kind = Kind::kRightCensored;
  std::optional<double> lower;
  std::optional<double> upper;
  bool non_monotone = false;  ///< needed at some level, not needed again at a higher one
  bool operator==(const NecessityLr&) const = default;
};

/// One level: does the control fail, is the treatment usable? nullopt: not known.
struct NecessityPoint {
  double x = 0;
  std::optional<bool> control_fails;
  std::optional<bool> treatment_usable;
  std::vector<std::string> unknown;  ///< ids of the runs that are missing or unjudged
};

/// Walks up from `points[best]`, the control's best level (x ascending). `persistent`: the control
/// must fail at every higher level at which the treatment is usable. Undefined when an unknown
/// point decides.
Finding<NecessityLr> scan_necessity(const std::vector<NecessityPoint>& points, std::size_t best,
                                    bool persistent);

/// Necessity of a treatment in one stratum: per seed, and for all seeds (the control fails at a
/// level when not every seed of it is usable; the treatment is usable when every seed is).
struct Necessity {
  std::string control;
  std::string treatment;
  Stratum stratum;
  std::vector<std::pair<std::uint64_t, Finding<NecessityLr>>> per_seed;
  Finding<NecessityLr> all_seeds = Undefined{};
  /// Secondary, an estimate: where the seed-mean gap (control - treatment) passes `crossing_gap`,
  /// linear in ln x between the two levels around it, from the control's best level on.
  std::optional<double> crossing;
  double crossing_gap = 0;
};

/// The gap at which `Necessity::crossing` is read when the definition names none, in nats.
inline constexpr double kCrossingGap = 0.1;

/// Both curves must be judged and of one stratum.
Necessity necessity_of(const Curve& control, const Curve& treatment,
                       const Definitions::NecessityLr& definition);

}  // namespace sweep
