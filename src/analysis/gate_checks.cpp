#include "analysis/gate_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/evaluate.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

using Kind = Criterion::Kind;

void visit(const Criterion& criterion, const std::function<void(const Criterion&)>& leaf) {
  for (const Criterion& part : criterion.parts) visit(part, leaf);
  if (criterion.parts.empty()) leaf(criterion);
}

void for_each_leaf(const GatePlan& plan,
                   const std::function<void(const Hypothesis&, const Criterion&)>& leaf) {
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    for (const Criterion* rule : {&hypothesis.supported_if, &hypothesis.contradicted_if}) {
      visit(*rule, [&](const Criterion& criterion) { leaf(hypothesis, criterion); });
    }
  }
}

std::vector<double> levels_of(const GatePlan& plan) {
  std::vector<double> levels;
  for (const Curve& curve : plan.scene.curves) {
    for (const Cell& cell : curve.cells) levels.push_back(cell.x);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

std::string level_words(const GatePlan& plan, double x) { return level_text(plan.strata.axis, x); }

// --- the gates -----------------------------------------------------------------------------------

Objections outcomes_gate(const GatePlan& plan) {
  Objections objections;
  for (const Outcomes& one : plan.outcomes) {
    std::vector<std::string> never;
    if (!one.supported) never.emplace_back("supported");
    if (!one.contradicted) never.emplace_back("contradicted");
    if (!one.inconclusive) never.emplace_back("inconclusive");
    if (never.empty()) continue;
    objections.push_back(
        {fmt::format("{} came out {} in none of {} constructed result sets", one.id,
                     join(never, " or "), one.tried),
         fmt::format("change the rule or the grid; 'sweep check FILE --explain {}' shows the sets "
                     "that were found",
                     one.id)});
  }
  return objections;
}

/// The largest number of tests or placeholders that Holm counts.
std::size_t family_size(const GatePlan& plan) {
  std::map<std::string, std::size_t> tests;
  for_each_leaf(plan, [&](const Hypothesis& hypothesis, const Criterion& criterion) {
    if (criterion.kind == Kind::kTest) ++tests[hypothesis.id];
  });
  std::size_t size = 0;
  for (const std::string& id : plan.analysis.family) {
    size += std::max<std::size_t>(1, tests[id]);
  }
  return size;
}

/// p of values that all lie in the order looked for.
std::optional<double> best_p(const GatePlan& plan, const Criterion& criterion) {
  const auto groups = groups_across(plan.strata, criterion.across);
  const std::size_t seeds = scored_seeds(plan.prereg).size();
  if (criterion.test == "page_l") {
    std::vector<PageBlock> blocks;
    for (const auto& strata : groups) {
      PageBlock block;
      for (std::size_t i = 0; i < strata.size(); ++i) {
        block.values.emplace_back(static_cast<double>(i));
      }
      blocks.insert(blocks.end(), seeds, block);
    }
    const auto result = page_l(blocks, Trend::kRising);
    const auto* page = value_of(result);
    return page != nullptr ? std::optional(page->minimum_p) : std::nullopt;
  }
  if (groups.size() != 1) return std::nullopt;
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < groups.front().size(); ++i) {
    auto& own = values.emplace_back();
    for (std::size_t k = 0; k < seeds; ++k) own.push_back(static_cast<double>(i * seeds + k));
  }
  const auto result = jonckheere_terpstra(values, Trend::kRising);
  const auto* test = value_of(result);
  return test != nullptr ? std::optional(test->minimum_p) : std::nullopt;
}

Objections attainable_p_gate(const GatePlan& plan) {
  Objections objections;
  for_each_leaf(plan, [&](const Hypothesis& hypothesis, const Criterion& criterion) {
    if (criterion.kind != Kind::kTest) return;
    const auto p = best_p(plan, criterion);
    if (!p) {
      objections.push_back(
          {fmt::format("{}: {} is undefined for this plan", hypothesis.id, criterion.test),
           "a test that these strata and seeds allow"});
      return;
    }
    const auto& family = plan.analysis.family;
    const bool corrected = plan.analysis.correction == "holm" &&
                           std::find(family.begin(), family.end(), hypothesis.id) != family.end();
    const double adjusted =
        std::min(1.0, *p * static_cast<double>(corrected ? family_size(plan) : 1));
    if (adjusted <= criterion.p_at_most) return;
    objections.push_back(
        {fmt::format("{}: {} can reach p {:.3g} at best{}, and p at most {} is asked",
                     hypothesis.id, criterion.test, adjusted,
                     corrected ? fmt::format(" ({:.3g} before correction)", *p) : "",
                     format_number(criterion.p_at_most)),
         fmt::format("more seeds, more levels of {}, or no test", criterion.across)});
  });
  return objections;
}

Objections baseline_gate(const GatePlan& plan) {
  const auto& arms = plan.prereg.arms;
  if (arms.size() < 2) return {{"there is one arm: nothing to compare it with", "a control arm"}};
  const auto is_off = [](const Arm& arm) {
    return std::any_of(arm.settings.begin(), arm.settings.end(), [](const auto& setting) {
      return setting.first == "model.qk_norm" && setting.second == Value(std::string("none"));
    });
  };
  const auto off = std::find_if(arms.begin(), arms.end(), is_off);
  if (off == arms.end() || off == arms.begin()) return {};
  return {{fmt::format("the arm without QK-norm, {}, is not the first one, so {} is the control",
                       off->name, arms.front().name),
           "put the arm without the component first"}};
}

Objections seeds_gate(const GatePlan& plan) {
  Objections objections;
  for (const Curve& curve : plan.scene.curves) {
    for (const Cell& cell : curve.cells) {
      if (cell.runs.size() == plan.prereg.seeds.size()) continue;
      objections.push_back(
          {fmt::format("{} at {} has {}, not {}", curve.arm, level_words(plan, cell.x),
                       count_of(cell.runs.size(), "seed"), plan.prereg.seeds.size()),
           "the same seeds in every cell of every arm"});
    }
  }
  return objections;
}

void check_ranges(const GatePlan& plan, const std::vector<double>& levels, Objections& objections) {
  constexpr double kSlack = 1e-9;
  for (const auto& range : plan.prereg.definitions.ranges) {
    const auto inside = std::count_if(levels.begin(), levels.end(),
                                      [&](double x) { return x >= range.low && x <= range.high; });
    const std::string words =
        fmt::format("range {} [{}, {}]", range.name, level_words(plan, range.low),
                    level_words(plan, range.high));
    if (inside == 0) {
      objections.push_back({words + " holds no level of the grid", "a level in it"});
    } else if (range.low < levels.front() * (1 - kSlack) ||
               range.high > levels.back() * (1 + kSlack)) {
      objections.push_back(
          {fmt::format("{} is wider than the grid, {} to {}", words,
                       level_words(plan, levels.front()), level_words(plan, levels.back())),
           "a range within the grid, or a wider grid"});
    }
  }
}

void check_threshold(const GatePlan& plan, const std::vector<double>& levels, double threshold,
                     const Hypothesis& hypothesis, const Criterion& criterion,
                     Objections& objections) {
  if (threshold > levels.front() && threshold <= levels.back()) return;
  objections.push_back(
      {fmt::format("{}: {} is compared with {}, and the grid ({} to {}) does not reach both sides "
                   "of it",
                   hypothesis.id, criterion.quantity, level_words(plan, threshold),
                   level_words(plan, levels.front()), level_words(plan, levels.back())),
       fmt::format("levels below {0} and at or above {0}", level_words(plan, threshold))});
}

Objections grid_reach_gate(const GatePlan& plan) {
  Objections objections;
  const auto levels = levels_of(plan);
  check_ranges(plan, levels, objections);
  for_each_leaf(plan, [&](const Hypothesis& hypothesis, const Criterion& criterion) {
    const bool threshold =
        criterion.quantity == "max_stable_lr" || criterion.quantity == "necessity_lr";
    if (!threshold || criterion.kind != Kind::kLimits) return;
    for (const auto& limit : {criterion.limits.at_least, criterion.limits.at_most}) {
      if (limit) check_threshold(plan, levels, *limit, hypothesis, criterion, objections);
    }
  });
  return objections;
}

Objections quorums_gate(const GatePlan& plan) {
  Objections objections;
  const auto check = [&](const Hypothesis& hypothesis, const Criterion& criterion,
                         const Quorum& quorum, std::size_t there, const char* what) {
    if (!quorum.at_least || *quorum.at_least <= there) return;
    objections.push_back({fmt::format("{}: \"{}\" asks for {} of {} {}", hypothesis.id,
                                      to_words(criterion), *quorum.at_least, there, what),
                          fmt::format("at_least: {} or fewer", there)});
  };
  for_each_leaf(plan, [&](const Hypothesis& hypothesis, const Criterion& criterion) {
    const bool across = !criterion.across.empty();
    const std::size_t strata =
        across ? groups_across(plan.strata, criterion.across).size() : plan.strata.strata.size();
    check(hypothesis, criterion, criterion.strata, strata, across ? "groups" : "strata");
    check(hypothesis, criterion, criterion.seeds, scored_seeds(plan.prereg).size(), "seeds");
  });
  return objections;
}

Objections correction_family_gate(const GatePlan& plan) {
  bool tested = false;
  for_each_leaf(plan, [&](const Hypothesis&, const Criterion& criterion) {
    tested |= criterion.kind == Kind::kTest;
  });
  if (!tested) return {};
  if (plan.analysis.correction == "none") {
    if (plan.hypotheses.size() == 1) return {};
    return {{fmt::format("{} hypotheses, at least one test, and correction none",
                         plan.hypotheses.size()),
             "correction: {method: holm}, whose family is every hypothesis"}};
  }
  std::vector<std::string> left_out;
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    const auto& family = plan.analysis.family;
    if (std::find(family.begin(), family.end(), hypothesis.id) == family.end()) {
      left_out.push_back(hypothesis.id);
    }
  }
  if (left_out.empty()) return {};
  return {{fmt::format("the family leaves out {}", join(left_out, ", ")),
           "name every hypothesis in analysis.correction.family, or leave the key out"}};
}

Objections power_gate(const GatePlan& plan) {
  const Assumptions& assumed = plan.scene.assumed;
  if (assumed.sd <= 0) return {};  // no pilot: 'sweep rehearse' with stated scatter
  constexpr std::size_t kSets = 40;
  const Rehearsal rehearsal = rehearse(plan.prereg, plan.scene, kSets, 1);
  Objections objections;
  for (const RuleCounts& counts : rehearsal.worlds.at(1).hypotheses) {
    const double share = static_cast<double>(counts.of(VerdictKind::kSupported)) / kSets;
    if (share >= kFoundOften) continue;
    objections.push_back(
        {fmt::format("{} is supported in {:.0f} % of simulated sets under the expected effect, "
                     "with the pilot's scatter (sd {:.3f})",
                     counts.id, 100 * share, assumed.sd),
         "more seeds or wider margins; 'sweep rehearse' shows how much"});
  }
  return objections;
}

Objections divergence_rule_gate(const GatePlan& plan) {
  using Failure = FailureRule::Kind;
  const auto& rules = plan.prereg.definitions.diverged;
  bool initial = false;
  for (const FailureRule& rule : rules) {
    if (rule.kind == Failure::kNonfinite) continue;
    if (rule.level != FailureRule::LossLevel::kInitialValLoss) return {};
    initial = true;
  }
  if (!initial) return {};
  return {
      {"the final loss above the initial one is the only rule for 'diverged' besides NaN: it "
       "almost never fires, so hardly any run will count as diverged",
       "add a corpus floor: {rule: final_loss_at_least, level: unigram_floor, minus: 0.1}"}};
}

bool sets(const GatePlan& plan, const std::string& path) {
  const auto names = [&](const auto& paths) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  for (const Factor& factor : plan.prereg.grid) {
    if (names(factor.paths)) return true;
  }
  for (const Arm& arm : plan.prereg.arms) {
    for (const auto& setting : arm.settings) {
      if (setting.first == path) return true;
    }
  }
  return false;
}

Objections warmup_gate(const GatePlan& plan) {
  if (!sets(plan, "train.max_iters") || sets(plan, "train.warmup_iters")) return {};
  if (plan.prereg.base.train.warmup_iters == 0) return {};
  return {{"train.max_iters differs between runs and train.warmup_iters does not",
           "link them: a line of the grid that sets both"}};
}

const std::map<std::string, Objections (*)(const GatePlan&)>& checks() {
  static const std::map<std::string, Objections (*)(const GatePlan&)> all = {
      {"outcomes", outcomes_gate},
      {"attainable_p", attainable_p_gate},
      {"baseline", baseline_gate},
      {"seeds", seeds_gate},
      {"grid_reach", grid_reach_gate},
      {"quorums", quorums_gate},
      {"correction_family", correction_family_gate},
      {"power", power_gate},
      {"divergence_rule", divergence_rule_gate},
      {"warmup", warmup_gate},
  };
  return all;
}

}  // namespace

GatePlan gate_plan_of(const Prereg& prereg, const Scene& scene,
                      const std::vector<Outcomes>& outcomes) {
  GatePlan plan{prereg, scene, outcomes, hypotheses_of(prereg), analysis_plan_of(prereg), {}};
  plan.strata.axis = prereg.roles.axis;
  for (const Curve& curve : scene.curves) {
    auto& strata = plan.strata.strata;
    if (strata.empty() || strata.back() != curve.stratum) strata.push_back(curve.stratum);
  }
  return plan;
}

Objections objections_of(const std::string& gate, const GatePlan& plan) {
  return checks().at(gate)(plan);
}

}  // namespace sweep
