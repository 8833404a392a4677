#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/evaluate.h"
#include "sweep/analysis/gates.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

constexpr std::size_t kRandomWorlds = 300;
constexpr std::uint64_t kSeed = 1;

/// Multiples of the expected effect, nats, times and decades that are combined.
constexpr double kShifts[] = {1, -1, 0, 0.5, -0.5, 2, -2};
constexpr double kSlopes[] = {1, -1, 0, 2, -2};
constexpr double kOffsets[] = {0, -0.15, 0.15, -0.6, 0.6};
constexpr double kSpeeds[] = {1, 2, 0.5};
constexpr double kPositions[] = {0, -0.3, 0.3, 9};  // the last one: nothing ever breaks

std::vector<std::vector<std::string>> treated_sets(const Prereg& prereg) {
  std::vector<std::vector<std::string>> sets = {{}};
  for (std::size_t i = 1; prereg.arms.size() > 2 && i < prereg.arms.size(); ++i) {
    sets.push_back({prereg.arms[i].name});
  }
  return sets;
}

World without_scatter(const Assumptions& assumed, double shift, double slope) {
  World world = expected_world(assumed, 1);
  world.name = "constructed";
  world.shift = shift * assumed.shift;
  world.slope = slope * assumed.slope + 0.0;  // no negative zero
  world.sd = world.jitter = 0;
  return world;
}

/// Signs of shift and slope: as expected, reversed, none; the one without the other.
constexpr std::pair<double, double> kSigns[] = {{1, 1}, {-1, -1}, {0, 0}, {1, -1}, {-1, 1}};

/// The plain ones first, then one thing changed at a time.
std::vector<World> plain_worlds(const Prereg& prereg, const Assumptions& assumed) {
  std::vector<World> worlds;
  for (const auto& treated : treated_sets(prereg)) {
    for (const auto& [shift, slope] : kSigns) {
      worlds.push_back(without_scatter(assumed, shift, slope));
      worlds.back().treated = treated;
    }
    const auto vary = [&](const auto& values, auto World::* member) {
      for (const double value : values) {
        for (const double sign : {1.0, -1.0}) {
          worlds.push_back(without_scatter(assumed, sign, sign));
          worlds.back().*member = value;
          worlds.back().treated = treated;
        }
      }
    };
    vary(kOffsets, &World::offset);
    vary(kSpeeds, &World::speed);
    vary(kPositions, &World::position);
  }
  return worlds;
}

template <typename Values>
double drawn(RandomStream& draws, const Values& values) {
  return values[draws.below(std::size(values))];
}

World random_world(const Prereg& prereg, const Assumptions& assumed, RandomStream& draws) {
  const auto sets = treated_sets(prereg);
  World world = without_scatter(assumed, drawn(draws, kShifts), drawn(draws, kSlopes));
  world.offset = drawn(draws, kOffsets);
  world.speed = drawn(draws, kSpeeds);
  world.position = drawn(draws, kPositions);
  world.treated = sets[draws.below(sets.size())];
  return world;
}

void drop(std::vector<Curve>& curves, const std::string& id) {
  for (Curve& curve : curves) {
    for (Cell& cell : curve.cells) {
      for (CellRun& run : cell.runs) {
        if (run.id != id) continue;
        run.losses.reset();
        run.evals.clear();
      }
    }
  }
}

std::optional<ConstructedSet>* place_of(Outcomes& outcomes, VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kSupported:
      return &outcomes.supported;
    case VerdictKind::kContradicted:
      return &outcomes.contradicted;
    case VerdictKind::kInconclusive:
      return &outcomes.inconclusive;
    case VerdictKind::kNotSupported:
    case VerdictKind::kConflict:
      break;
  }
  return nullptr;
}

class Search {
 public:
  Search(const Prereg& prereg, const Scene& scene) : prereg_(prereg), scene_(scene) {
    for (const Hypothesis& hypothesis : hypotheses_of(prereg)) {
      found_.push_back({hypothesis.id, {}, {}, {}, 0});
    }
  }

  [[nodiscard]] bool complete() const {
    return std::all_of(found_.begin(), found_.end(), [](const Outcomes& one) {
      return one.supported && one.contradicted && one.inconclusive;
    });
  }

  void look_at(const World& world, const std::vector<std::string>& missing) {
    if (complete()) return;
    auto curves = simulate(scene_, world, kSeed, 0);
    for (const std::string& id : missing) drop(curves, id);
    const Analysis analysis =
        analyse(prereg_, prereg_.definitions, curves, simulated_pilot(scene_, world));
    const auto verdicts = judge_hypotheses(prereg_, analysis);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      ++found_[i].tried;
      auto* place = place_of(found_[i], verdicts[i].kind);
      if (place != nullptr && !*place)
        *place = ConstructedSet{world, missing, analysis, verdicts[i]};
    }
  }

  std::vector<Outcomes> take() { return std::move(found_); }

 private:
  const Prereg& prereg_;
  const Scene& scene_;
  std::vector<Outcomes> found_;
};

/// The runs of the first scored seed at one level: of the first arm in the first stratum alone,
/// then of all: what a crash might leave behind. The ends of the axis first.
std::vector<std::vector<std::string>> runs_to_miss(const Prereg& prereg, const Scene& scene) {
  const std::uint64_t seed = scored_seeds(prereg).front();
  const std::size_t levels = scene.curves.front().cells.size();
  std::vector<std::vector<std::string>> sets;
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t level = i % 2 == 0 ? levels - 1 - i / 2 : i / 2;
    std::vector<std::string> all;
    for (const Curve& curve : scene.curves) {
      const CellRun* run =
          level < curve.cells.size() ? find_run(curve.cells[level], seed) : nullptr;
      if (run != nullptr) all.push_back(run->id);
    }
    if (all.empty()) continue;
    sets.push_back({all.front()});
    sets.push_back(std::move(all));
  }
  return sets;
}

}  // namespace

std::vector<Outcomes> constructed_outcomes(const Prereg& prereg, const Scene& scene) {
  Search search(prereg, scene);
  for (const World& world : plain_worlds(prereg, scene.assumed)) search.look_at(world, {});
  const World expected = without_scatter(scene.assumed, 1, 1);
  for (const auto& missing : runs_to_miss(prereg, scene)) search.look_at(expected, missing);
  RandomStream draws(kSeed, "constructed worlds");
  for (std::size_t i = 0; i < kRandomWorlds && !search.complete(); ++i) {
    search.look_at(random_world(prereg, scene.assumed, draws), {});
  }
  return search.take();
}

}  // namespace sweep
