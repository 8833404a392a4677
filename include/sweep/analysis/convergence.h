#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// How many updates a run needed to reach a loss.
struct StepsToLoss {
  std::optional<double> steps;  ///< nullopt: not reached, right-censored at `horizon`
  double horizon = 0;           ///< updates of a whole run
  bool operator==(const StepsToLoss&) const = default;
};

/// The first evaluation at or below `target` that the next `confirm` evaluations (as many as there
/// are) do not leave again, linear in steps from the evaluation before it. A loss that is not
/// finite is above every target.
StepsToLoss steps_to_loss(std::span<const EvalPoint> evals, double target, std::int64_t confirm,
                          double horizon);

/// Steps to the registered loss, of every run of a curve.
struct ConvergenceCurve {
  std::string arm;
  Stratum stratum;
  Finding<double> target = Undefined{};  ///< nats
  struct Point {
    double x = 0;
    std::vector<std::pair<std::uint64_t, Finding<StepsToLoss>>> per_seed;
  };
  std::vector<Point> points;  ///< x ascending
};

/// A pilot's lowest seed-mean final loss of an arm, for the strata that it had.
struct PilotBest {
  std::string arm;
  std::vector<std::pair<Stratum, double>> by_stratum;  ///< nats
};

/// The registered target in this stratum; undefined when it is a pilot's and there is none.
Finding<double> convergence_target(const Definitions::Convergence& definition, const Curve& curve,
                                   const std::vector<PilotBest>& pilot);

ConvergenceCurve convergence_of(const Curve& curve, const Definitions::Convergence& definition,
                                const std::vector<PilotBest>& pilot);

}  // namespace sweep
