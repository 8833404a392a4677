#include "sweep/analysis/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::array<double, 10> kScales = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0};

void count(const std::vector<Verdict>& verdicts, std::vector<RuleCounts>& counts) {
  counts.resize(verdicts.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    counts[i].id = verdicts[i].id;
    ++counts[i].verdicts[static_cast<std::size_t>(verdicts[i].kind)];
    if (verdicts[i].supported.truth == true) ++counts[i].supported_held;
    if (verdicts[i].contradicted.truth == true) ++counts[i].contradicted_held;
  }
}

void add(const std::vector<RuleCounts>& from, std::vector<RuleCounts>& to) {
  if (to.empty()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i].id = from[i].id;
    for (std::size_t k = 0; k < kVerdictKinds; ++k) to[i].verdicts[k] += from[i].verdicts[k];
    to[i].supported_held += from[i].supported_held;
    to[i].contradicted_held += from[i].contradicted_held;
  }
}

/// Sums do not depend on who counted what.
WorldCounts count_world(const Prereg& prereg, const Scene& scene, const World& world,
                        std::size_t sets, std::uint64_t seed) {
  const std::size_t workers = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                                      std::max<std::size_t>(sets, 1));
  std::vector<std::vector<RuleCounts>> partial(workers);
  const auto work = [&](std::size_t first) {
    for (std::size_t set = first; set < sets; set += workers) {
      count(judge_set(prereg, scene, world, simulate(scene, world, seed, set)), partial[first]);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  WorldCounts counts{world, {}};
  for (const auto& part : partial) add(part, counts.hypotheses);
  return counts;
}

double supported_share(const WorldCounts& counts, std::size_t hypothesis, std::size_t sets) {
  return static_cast<double>(counts.hypotheses[hypothesis].of(VerdictKind::kSupported)) /
         static_cast<double>(sets);
}

SmallestEffect smallest_effect(const std::vector<WorldCounts>& scan, std::size_t hypothesis,
                               std::size_t sets) {
  SmallestEffect effect{scan.front().hypotheses[hypothesis].id, std::nullopt, 0};
  for (const WorldCounts& counts : scan) {
    const double share = supported_share(counts, hypothesis, sets);
    effect.share = std::max(effect.share, share);
    if (share < kFoundOften) continue;
    return {effect.id, counts.world, share};
  }
  return effect;
}

std::string held_never(const std::string& id, const char* rule, std::size_t sets) {
  return fmt::format(
      "{0}: {1} held in none of {2} sets; 'sweep check FILE --explain {0}' shows "
      "whether it can at all",
      id, rule, sets);
}

}  // namespace

std::vector<Verdict> judge_set(const Prereg& prereg, const Scene& scene, const World& world,
                               const std::vector<Curve>& curves) {
  return judge_hypotheses(
      prereg, analyse(prereg, prereg.definitions, curves, simulated_pilot(scene, world)));
}

Rehearsal rehearse(const Prereg& prereg, const Scene& scene, std::size_t sets, std::uint64_t seed) {
  Rehearsal rehearsal;
  rehearsal.sets = sets;
  rehearsal.scan_sets = std::max<std::size_t>(1, sets / 4);
  for (const World& world : rehearsal_worlds(scene.assumed)) {
    rehearsal.worlds.push_back(count_world(prereg, scene, world, sets, seed));
  }
  std::vector<WorldCounts> scan;
  for (const double scale : kScales) {
    rehearsal.scales.push_back(scale);
    scan.push_back(count_world(prereg, scene, expected_world(scene.assumed, scale),
                               rehearsal.scan_sets, seed));
  }
  for (std::size_t i = 0; i < scan.front().hypotheses.size(); ++i) {
    rehearsal.smallest.push_back(smallest_effect(scan, i, rehearsal.scan_sets));
  }
  return rehearsal;
}

std::vector<std::string> rule_warnings(const Rehearsal& rehearsal) {
  std::vector<RuleCounts> total;
  for (const WorldCounts& counts : rehearsal.worlds) add(counts.hypotheses, total);
  const std::size_t sets = rehearsal.sets * rehearsal.worlds.size();
  std::vector<std::string> sentences;
  for (const RuleCounts& counts : total) {
    if (counts.supported_held == 0) {
      sentences.push_back(held_never(counts.id, "supported_if", sets));
    }
    if (counts.contradicted_held == 0) {
      sentences.push_back(held_never(counts.id, "contradicted_if", sets));
    }
    const std::size_t conflicts = counts.of(VerdictKind::kConflict);
    if (conflicts > 0) {
      sentences.push_back(fmt::format("{}: both rules held at once in {} of {} sets: they overlap",
                                      counts.id, conflicts, sets));
    }
  }
  return sentences;
}

}  // namespace sweep
