#include "sweep/analysis/fragility.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sweep/base/text.h"

namespace sweep {
namespace {

using Kinds = std::vector<VerdictKind>;

/// How far from the registered delta is searched, as a factor, and how many values each way.
constexpr double kReach = 4;
constexpr std::size_t kMostSteps = 256;

Kinds kinds_of(const std::vector<Verdict>& verdicts) {
  Kinds kinds;
  for (const Verdict& verdict : verdicts) kinds.push_back(verdict.kind);
  return kinds;
}

/// Judges the same runs again by other definitions.
class Rejudge {
 public:
  Rejudge(const Prereg& prereg, const std::vector<Curve>& curves,
          const std::vector<PilotBest>& pilot)
      : prereg_(prereg), curves_(curves), pilot_(pilot) {}

  [[nodiscard]] Kinds by(const Definitions& definitions) const {
    return kinds_of(judge_hypotheses(prereg_, analyse(prereg_, definitions, curves_, pilot_)));
  }
  [[nodiscard]] Kinds at(double delta) const {
    return by(with_degraded_delta(prereg_.definitions, delta));
  }

 private:
  const Prereg& prereg_;
  const std::vector<Curve>& curves_;
  const std::vector<PilotBest>& pilot_;
};

/// The deltas at which some run's status changes, ascending.
std::vector<double> critical_deltas(const std::vector<Curve>& curves, double low, double high) {
  std::set<double> deltas;
  for (const Curve& curve : curves) {
    for (const char* scope : {"same_arm_and_stratum", "same_stratum"}) {
      const auto reference = degraded_reference(curves, curve, scope);
      if (!reference) continue;
      for (const Cell& cell : curve.cells) {
        for (const CellRun& run : cell.runs) {
          if (!run.losses || !run.losses->final_loss) continue;
          const double delta = *run.losses->final_loss - *reference;
          if (delta > low && delta < high) deltas.insert(delta);
        }
      }
    }
  }
  return {deltas.begin(), deltas.end()};
}

/// Walks over the critical deltas in one direction and notes where each verdict first changes.
/// `edges` start next to the registered delta. A segment is tried in its middle.
std::vector<std::optional<double>> first_changes(const std::vector<double>& edges, double end,
                                                 const Kinds& registered, const Rejudge& rejudge) {
  std::vector<std::optional<double>> changes(registered.size());
  const std::size_t steps = std::min(edges.size(), kMostSteps);
  for (std::size_t i = 0; i < steps; ++i) {
    const double beyond = i + 1 < edges.size() ? edges[i + 1] : end;
    const Kinds kinds = rejudge.at((edges[i] + beyond) / 2);
    for (std::size_t h = 0; h < kinds.size(); ++h) {
      if (!changes[h] && kinds[h] != registered[h]) changes[h] = edges[i];
    }
    if (std::all_of(changes.begin(), changes.end(), [](const auto& c) { return c.has_value(); })) {
      break;
    }
  }
  return changes;
}

void search_delta(Fragility& result, const std::vector<Curve>& curves,
                  const std::vector<Verdict>& registered, const Rejudge& rejudge) {
  const double delta = *result.delta;
  result.searched_low = delta / kReach;
  result.searched_high = delta * kReach;
  const auto critical = critical_deltas(curves, result.searched_low, result.searched_high);
  const auto middle = std::upper_bound(critical.begin(), critical.end(), delta);
  const std::vector<double> up(middle, critical.end());
  const std::vector<double> down(std::make_reverse_iterator(middle), critical.rend());
  if (up.size() > kMostSteps) result.searched_high = up[kMostSteps];
  if (down.size() > kMostSteps) result.searched_low = down[kMostSteps];
  const Kinds kinds = kinds_of(registered);
  const auto above = first_changes(up, result.searched_high, kinds, rejudge);
  const auto below = first_changes(down, result.searched_low, kinds, rejudge);
  const Kinds half = rejudge.at(delta / 2);
  const Kinds twice = rejudge.at(delta * 2);
  for (std::size_t h = 0; h < registered.size(); ++h) {
    result.intervals.push_back({registered[h].id, kinds[h], below[h], above[h],
                                half[h] == kinds[h] && twice[h] == kinds[h]});
  }
}

/// "final_loss_at_least level unigram_floor minus 0.1": as the file has it.
std::string as_registered(const FailureRule& rule) {
  const Json json = to_json(rule);
  std::string words = json.at("rule").get<std::string>();
  for (const char* key : {"level", "minus", "by", "of"}) {
    if (!json.contains(key)) continue;
    const Json& value = json.at(key);
    words += fmt::format(
        " {} {}", key,
        value.is_number() ? format_number(value.get<double>()) : value.get<std::string>());
  }
  return words;
}

/// Every rule of failure as the only one, and all of `diverged` without `degraded`.
void add_single_rules(Fragility& result, const Definitions& registered, const Rejudge& rejudge) {
  std::vector<FailureRule> rules = registered.diverged;
  rules.insert(rules.end(), registered.unusable.begin(), registered.unusable.end());
  for (const FailureRule& rule : rules) {
    Definitions definitions = registered;
    definitions.unusable = {rule};
    const std::string name = "unusable: only " + as_registered(rule);
    const bool known = std::any_of(result.alternatives.begin(), result.alternatives.end(),
                                   [&](const Rejudgement& a) { return a.name == name; });
    if (!known) result.alternatives.push_back({name, rejudge.by(definitions)});
  }
}

}  // namespace

Fragility fragility_of(const Prereg& prereg, const std::vector<Curve>& curves,
                       const std::vector<PilotBest>& pilot,
                       const std::vector<Verdict>& registered) {
  Fragility result;
  if (registered.empty()) return result;
  const Rejudge rejudge(prereg, curves, pilot);
  result.delta = degraded_delta(prereg.definitions);
  if (result.delta && *result.delta > 0) search_delta(result, curves, registered, rejudge);
  for (const double delta : analysis_plan_of(prereg).degraded_profile) {
    result.alternatives.push_back(
        {fmt::format("degraded by {}", format_number(delta)), rejudge.at(delta)});
  }
  add_single_rules(result, prereg.definitions, rejudge);
  return result;
}

}  // namespace sweep
