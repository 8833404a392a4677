#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/convergence.h"
#include "sweep/prereg/prereg.h"

namespace sweep {

/// Result sets of a plan that nothing was trained for: what the registered rules would say if the
/// world were like this. No number here is a measurement; every one is printed with what it yields
/// (docs/definitions.md, "Rehearsal").

/// One arm's mean final loss over the axis x, in nats. With d = log10(x / best_x):
///   best_loss + below d^2 for d < 0, best_loss + above d^2 from there on, and beyond break_x a
///   straight line in log10(x) that meets `plateau` after `rise` decades and stays there; the
///   larger of the two counts.
struct LossShape {
  double best_loss = 0;
  double best_x = 0;
  double below = 0;    ///< nats per squared decade
  double above = 0;    ///< nats per squared decade
  double break_x = 0;  ///< where training begins to break
  double rise = 0;     ///< decades
  double plateau = 0;  ///< nats
};
double mean_loss(const LossShape& shape, double x);

/// What is assumed of every world, since nothing was measured.
struct Assumptions {
  CorpusFloors floors;      ///< nats per token
  double initial_loss = 0;  ///< nats
  LossShape control;        ///< of the control arm in the first stratum
  double sd = 0;            ///< between seeds, of the final loss, nats
  double jitter = 0;        ///< between seeds, of the breaking level, decades
  double shift = 0;         ///< the expected effect: see `World::shift`
  double slope = 0;         ///< see `World::slope`
};

/// Floors and shape as shares of ln(vocabulary), break and best level as shares of the grid's
/// decades. Throws `Error` (`kBadInput`) when the axis has no positive level.
Assumptions default_assumptions(const std::vector<Curve>& curves, std::int64_t vocabulary);

/// How the arms differ, how depth acts, how much seeds scatter.
struct World {
  std::string name;
  double shift = 0;     ///< decades by which the treated arms break above the control
  double slope = 0;     ///< decades by which every arm's break moves per doubling of depth
  double offset = 0;    ///< nats added to the treated arms everywhere
  double speed = 1;     ///< the treated arms are so many times as fast on their way down
  double position = 0;  ///< decades by which every arm's break moves
  double sd = 0;        ///< nats, between seeds
  double jitter = 0;    ///< decades, between seeds of one arm and stratum
  std::vector<std::string> treated;  ///< arms; none: all but the control
};

/// No effect; the expected one; the same reversed; the expected one under four times the scatter.
std::vector<World> rehearsal_worlds(const Assumptions& assumed);

/// The expected world with the effect `scale` times as large.
World expected_world(const Assumptions& assumed, double scale);

/// The plan's curves without results, and how deep each is.
struct Scene {
  std::string control;
  std::vector<Curve> curves;
  std::vector<double> doublings;  ///< of depth against the shallowest; by curve
  std::vector<std::int64_t> eval_steps;
  double lowest = 0;  ///< stands in for levels that have no logarithm
  Assumptions assumed;
};

/// `curves` are those of the plan without a result. Depth is model.n_layer where the strata differ
/// in it; else the strata count as doublings of one another in their order.
Scene make_scene(const Prereg& prereg, const std::vector<RunSpec>& plan, std::vector<Curve> curves,
                 const Assumptions& assumed);

/// The scene of a plan with its corpus's vocabulary and default assumptions, without scatter.
Scene plain_scene(const Prereg& prereg, const std::vector<RunSpec>& plan);

/// Set number `set` of this world: every run finished, evaluations included. Pure.
std::vector<Curve> simulate(const Scene& scene, const World& world, std::uint64_t seed,
                            std::uint64_t set);

/// What a pilot without scatter would have found in this world.
std::vector<PilotBest> simulated_pilot(const Scene& scene, const World& world);

/// The plan without results, as `group` wants it.
std::vector<RunRecord> records_of(const std::vector<RunSpec>& plan);

/// The same for each run of the plan.
FloorTable stated_floors(const std::vector<RunSpec>& plan, const CorpusFloors& floors);

/// The records with the losses of `curves`, for whatever reads records.
std::vector<RunRecord> with_results(std::vector<RunRecord> records,
                                    const std::vector<Curve>& curves);

/// The evaluations of `curves` as a run's metrics would hold them.
std::vector<RunSeries> series_of(const std::vector<Curve>& curves);

}  // namespace sweep
