#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// One level of the axis on the way up.
struct ScanPoint {
  double x = 0;
  std::optional<bool> usable;        ///< nullopt: not known
  std::vector<std::string> unknown;  ///< ids of the runs that are missing or unjudged
};

/// The largest learning rate up to which nothing fails. A grid brackets it: [lower, upper).
struct StableLr {
  enum class Kind {
    kInterval,       ///< in [lower, upper)
    kRightCensored,  ///< at least lower, the grid's top
    kNone,           ///< the arm's best learning rate is itself a failure; no bounds
  };
  Kind kind = Kind::kNone;
  std::optional<double> lower;
  std::optional<double> upper;
  bool non_monotone = false;           ///< usable again above a failure
  std::optional<double> unrestricted;  ///< largest usable level anywhere; nullopt: none
  bool operator==(const StableLr&) const = default;
};

/// Walks up from `points[best]` (x ascending). `contiguous`: ends at the first failure; else the
/// largest usable level from there on counts. Undefined when an unknown point decides.
Finding<StableLr> scan_upward(const std::vector<ScanPoint>& points, std::size_t best,
                              bool contiguous);

/// Max stable LR of a curve: per seed, and for all seeds (the minimum over seeds: a level counts
/// when every seed is usable there).
struct MaxStableLr {
  std::vector<std::pair<std::uint64_t, Finding<StableLr>>> per_seed;
  Finding<StableLr> all_seeds;
};

/// The curve must be judged. `definition.failure` chooses between unusable and diverged.
MaxStableLr max_stable_lr(const Curve& curve, const Definitions::MaxStableLr& definition);

}  // namespace sweep
