#include "sweep/analysis/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/base/error.h"
#include "sweep/base/random.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

// Shares of ln V, as small models on English characters have them (V 65: 4.17; floors 3.35 and
// 2.48; trained for minutes 2.0 to 2.5; broken 2.7 to 3.4).
constexpr double kUnigramShare = 0.80;
constexpr double kBigramShare = 0.60;
constexpr double kBestShare = 0.50;
constexpr double kPlateauShare = 0.74;

// nats per squared decade off the best level, and decades from break to plateau; same source.
constexpr double kBelow = 0.15;
constexpr double kAbove = 0.08;
constexpr double kRise = 0.5;

// Shares of the grid's decades.
constexpr double kBestAt = 0.40;
constexpr double kBreakAt = 0.60;
constexpr double kShift = 0.35;

constexpr double kSlopePerDoubling = -0.2;  // decades
constexpr double kNoisy = 4;

/// How far training has come after a share of its steps: fast first, then slower.
constexpr double kPace = 6;

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
};

Span levels_of(const std::vector<Curve>& curves) {
  Span span;
  for (const Curve& curve : curves) {
    for (const Cell& cell : curve.cells) {
      if (cell.x <= 0) continue;
      span.low = std::min(span.low, cell.x);
      span.high = std::max(span.high, cell.x);
    }
  }
  if (span.high > 0) return span;
  fail(ExitCode::kBadInput, "an axis without a positive level cannot be rehearsed");
}

CorpusFloors shares_of(double ln_v) { return {ln_v, kUnigramShare * ln_v, kBigramShare * ln_v}; }

double shifted(double x, double decades) { return x * std::pow(10.0, decades); }

std::int64_t layers(const RunSpec& spec) { return spec.config.model.n_layer; }

/// The first planned run of each curve: ids name it.
const RunSpec& spec_of(const Curve& curve, const std::vector<RunSpec>& plan) {
  const std::string& id = curve.cells.front().runs.front().id;
  return *std::find_if(plan.begin(), plan.end(), [&](const RunSpec& one) { return one.id == id; });
}

/// Where the strata have one depth, their order stands for it.
std::vector<double> doublings_of(const std::vector<Curve>& curves,
                                 const std::vector<RunSpec>& plan) {
  std::vector<double> depths;
  std::vector<double> places;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    depths.push_back(static_cast<double>(layers(spec_of(curves[i], plan))));
    const bool same = i > 0 && curves[i].stratum == curves[i - 1].stratum;
    places.push_back(i == 0 ? 0 : places.back() + (same ? 0 : 1));
  }
  const auto [low, high] = std::minmax_element(depths.begin(), depths.end());
  if (*low == *high) return places;
  const double shallowest = *low;
  for (double& depth : depths) depth = std::log2(depth / shallowest);
  return depths;
}

std::vector<std::int64_t> steps_of_evals(const Config& config) {
  std::vector<std::int64_t> steps;
  const std::int64_t last = config.train.max_iters;
  for (std::int64_t step = 0; step < last; step += config.measure.eval_interval) {
    steps.push_back(step);
  }
  steps.push_back(last);
  return steps;
}

bool is_treated(const Scene& scene, const World& world, const std::string& arm) {
  if (world.treated.empty()) return arm != scene.control;
  return std::find(world.treated.begin(), world.treated.end(), arm) != world.treated.end();
}

LossShape shape_of(const Scene& scene, const World& world, std::size_t curve) {
  LossShape shape = scene.assumed.control;
  const bool treated = is_treated(scene, world, scene.curves[curve].arm);
  const double moved = world.position + world.slope * scene.doublings[curve];
  shape.break_x = shifted(shape.break_x, moved + (treated ? world.shift : 0));
  if (treated) shape.best_loss += world.offset;
  if (treated) shape.plateau += world.offset;
  return shape;
}

std::vector<EvalPoint> way_down(const Scene& scene, std::int64_t horizon, double from, double to,
                                double speed) {
  const double pace = kPace * speed;
  std::vector<EvalPoint> evals;
  for (const std::int64_t step : scene.eval_steps) {
    if (step > horizon) break;
    const double share = static_cast<double>(step) / static_cast<double>(horizon);
    const double left = (std::exp(-pace * share) - std::exp(-pace)) / (1 - std::exp(-pace));
    evals.push_back({step, to + (from - to) * left});
  }
  return evals;
}

void fill_curve(const Scene& scene, const World& world, std::size_t index, std::uint64_t seed,
                std::uint64_t set, Curve& curve) {
  const LossShape shape = shape_of(scene, world, index);
  const double speed = is_treated(scene, world, curve.arm) ? world.speed : 1;
  RandomStream draws(seed, fmt::format("rehearse/{}/{}", curve.arm, to_words(curve.stratum)), set);
  std::vector<std::pair<std::uint64_t, double>> moves;
  for (const std::uint64_t own : seeds_of(curve)) {
    moves.emplace_back(own, world.jitter * draws.normal());
  }
  for (Cell& cell : curve.cells) {
    for (CellRun& run : cell.runs) {
      LossShape own = shape;
      for (const auto& [of, move] : moves) {
        if (of == run.seed) own.break_x = shifted(own.break_x, move);
      }
      const double loss =
          mean_loss(own, std::max(cell.x, scene.lowest)) + world.sd * draws.normal();
      run.losses = RunLosses{scene.assumed.initial_loss, loss};
      run.evals = way_down(scene, cell.horizon, scene.assumed.initial_loss, loss, speed);
    }
  }
}

const CellRun* run_named(const std::vector<Curve>& curves, const std::string& id) {
  for (const Curve& curve : curves) {
    for (const Cell& cell : curve.cells) {
      for (const CellRun& run : cell.runs) {
        if (run.id == id) return &run;
      }
    }
  }
  return nullptr;
}

RunResult result_of(const RunSpec& spec, const RunLosses& losses) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  RunResult result;
  result.id = spec.id;
  result.outcome = {losses.final_loss ? RunOutcome::Kind::kCompleted : RunOutcome::Kind::kNonfinite,
                    spec.config.train.max_iters, losses.final_loss ? "" : "train_loss"};
  result.initial_val_loss = losses.initial_loss.value_or(kNan);
  result.final_val_loss = losses.final_loss.value_or(kNan);
  return result;
}

}  // namespace

double mean_loss(const LossShape& shape, double x) {
  const double d = std::log10(x / shape.best_x);
  const double trained = shape.best_loss + (d < 0 ? shape.below : shape.above) * d * d;
  const double beyond = std::log10(x / shape.break_x);
  if (beyond <= 0) return trained;
  const double at_break = std::log10(shape.break_x / shape.best_x);
  const double start =
      shape.best_loss + (at_break < 0 ? shape.below : shape.above) * at_break * at_break;
  const double broken = start + (shape.plateau - start) * std::min(1.0, beyond / shape.rise);
  return std::max(trained, broken);
}

Assumptions default_assumptions(const std::vector<Curve>& curves, std::int64_t vocabulary) {
  const Span span = levels_of(curves);
  const double decades = std::log10(span.high / span.low);
  Assumptions assumed;
  assumed.initial_loss = std::log(static_cast<double>(vocabulary));
  assumed.floors = shares_of(assumed.initial_loss);
  assumed.control = {kBestShare * assumed.initial_loss,
                     shifted(span.low, kBestAt * decades),
                     kBelow,
                     kAbove,
                     shifted(span.low, kBreakAt * decades),
                     kRise,
                     kPlateauShare * assumed.initial_loss};
  assumed.shift = kShift * decades;
  assumed.slope = kSlopePerDoubling;
  return assumed;
}

World expected_world(const Assumptions& assumed, double scale) {
  World world;
  world.name = "expected effect";
  world.shift = scale * assumed.shift;
  world.slope = scale * assumed.slope + 0.0;  // no negative zero
  world.sd = assumed.sd;
  world.jitter = assumed.jitter;
  return world;
}

std::vector<World> rehearsal_worlds(const Assumptions& assumed) {
  World none = expected_world(assumed, 0);
  none.name = "no effect";
  World reversed = expected_world(assumed, -1);
  reversed.name = "reversed effect";
  World noisy = expected_world(assumed, 1);
  noisy.name = "noisy";
  noisy.sd *= kNoisy;
  noisy.jitter *= kNoisy;
  return {none, expected_world(assumed, 1), reversed, noisy};
}

Scene make_scene(const Prereg& prereg, const std::vector<RunSpec>& plan, std::vector<Curve> curves,
                 const Assumptions& assumed) {
  Scene scene;
  scene.control = prereg.arms.front().name;
  scene.doublings = doublings_of(curves, plan);
  scene.eval_steps = steps_of_evals(plan.front().config);
  scene.lowest = levels_of(curves).low / 10;
  scene.curves = std::move(curves);
  scene.assumed = assumed;
  return scene;
}

Scene plain_scene(const Prereg& prereg, const std::vector<RunSpec>& plan) {
  if (plan.empty()) fail(ExitCode::kBadInput, "the plan has no runs");
  const auto records = records_of(plan);
  const auto blank = group(prereg, records, stated_floors(plan, {}));
  const Assumptions assumed = default_assumptions(blank, plan.front().config.model.vocab_size);
  return make_scene(prereg, plan, group(prereg, records, stated_floors(plan, assumed.floors)),
                    assumed);
}

std::vector<Curve> simulate(const Scene& scene, const World& world, std::uint64_t seed,
                            std::uint64_t set) {
  std::vector<Curve> curves = scene.curves;
  for (std::size_t i = 0; i < curves.size(); ++i) fill_curve(scene, world, i, seed, set, curves[i]);
  return curves;
}

std::vector<PilotBest> simulated_pilot(const Scene& scene, const World& world) {
  std::vector<PilotBest> pilot;
  for (std::size_t i = 0; i < scene.curves.size(); ++i) {
    const Curve& curve = scene.curves[i];
    const LossShape shape = shape_of(scene, world, i);
    double best = std::numeric_limits<double>::infinity();
    for (const Cell& cell : curve.cells) {
      best = std::min(best, mean_loss(shape, std::max(cell.x, scene.lowest)));
    }
    auto own = std::find_if(pilot.begin(), pilot.end(),
                            [&](const PilotBest& one) { return one.arm == curve.arm; });
    if (own == pilot.end()) own = pilot.insert(own, PilotBest{curve.arm, {}});
    own->by_stratum.emplace_back(curve.stratum, best);
  }
  return pilot;
}

std::vector<RunRecord> records_of(const std::vector<RunSpec>& plan) {
  std::vector<RunRecord> records;
  for (const RunSpec& spec : plan) records.push_back({spec, std::nullopt});
  return records;
}

FloorTable stated_floors(const std::vector<RunSpec>& plan, const CorpusFloors& floors) {
  FloorTable table;
  for (const RunSpec& spec : plan) table[floor_key(spec)] = floors;
  return table;
}

std::vector<RunRecord> with_results(std::vector<RunRecord> records,
                                    const std::vector<Curve>& curves) {
  for (RunRecord& record : records) {
    const CellRun* run = run_named(curves, record.spec.id);
    if (run != nullptr && run->losses) record.result = result_of(record.spec, *run->losses);
  }
  return records;
}

std::vector<RunSeries> series_of(const std::vector<Curve>& curves) {
  std::vector<RunSeries> all;
  for (const Curve& curve : curves) {
    for (const Cell& cell : curve.cells) {
      for (const CellRun& run : cell.runs) {
        RunSeries series;
        series.id = run.id;
        for (const EvalPoint& eval : run.evals) {
          series.evaluations.push_back({eval.step, *eval.loss});
        }
        all.push_back(std::move(series));
      }
    }
  }
  return all;
}

}  // namespace sweep
