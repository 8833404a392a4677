#include "analysis/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/compare.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

using Kind = Criterion::Kind;

void add_reason(std::string& reasons, const std::string& reason) {
  if (reason.empty() || reasons.find(reason) != std::string::npos) return;
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

/// What its unknown parts lack, each reason once.
void explain_unknown(Evidence& evidence) {
  if (evidence.truth) return;
  for (const Evidence& part : evidence.parts) {
    if (part.truth) continue;
    add_reason(evidence.unknown, part.unknown);
    add_reason(evidence.settle, part.settle);
  }
}

/// True when enough parts hold, false when too few still could.
Truth counted(const std::vector<Evidence>& parts, const Quorum& quorum) {
  const std::size_t needed = quorum.at_least.value_or(parts.size());
  const auto count = [&](Truth truth) {
    return static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [&](const Evidence& part) { return part.truth == truth; }));
  };
  if (parts.empty()) return std::nullopt;
  if (count(true) >= needed) return true;
  return parts.size() - count(false) < needed ? Truth(false) : Truth();
}

/// One seed's comparisons: all of them must hold.
class SeedComparison {
 public:
  explicit SeedComparison(std::uint64_t seed) {
    evidence_.what = fmt::format("seed {}", seed);
    evidence_.truth = true;
  }

  void add(const Compared& compared, const std::string& numbers,
           const std::vector<std::string>& runs) {
    evidence_.truth = kleene_and(evidence_.truth, compared.truth);
    add_reason(evidence_.unknown, compared.unknown);
    add_reason(evidence_.settle, compared.settle);
    evidence_.numbers += (evidence_.numbers.empty() ? "" : "; ") + numbers;
    evidence_.runs.insert(evidence_.runs.end(), runs.begin(), runs.end());
  }

  Evidence take() {
    if (evidence_.truth) evidence_.unknown = evidence_.settle = "";
    return std::move(evidence_);
  }

 private:
  Evidence evidence_;
};

Evidence limits_of_seed(const Question& question) {
  SeedComparison comparison(question.seed);
  for (const Measured& value : measure(question, question.criterion.arm)) {
    comparison.add(within(value, question.criterion.limits), value.shown, value.runs);
  }
  return comparison.take();
}

Evidence order_of_seed(const Question& question) {
  const Criterion& c = question.criterion;
  const auto left = measure(question, c.arm);
  const auto right = measure(question, c.than);
  SeedComparison comparison(question.seed);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    std::vector<std::string> runs = left[i].runs;
    runs.insert(runs.end(), right[i].runs.begin(), right[i].runs.end());
    comparison.add(ordered(left[i], right[i], c.is == "above", question.analysis),
                   fmt::format("{} {}, {} {}", c.arm, left[i].shown, c.than, right[i].shown), runs);
  }
  return comparison.take();
}

struct Context {
  const Prereg& prereg;
  const Analysis& analysis;
  const std::vector<TestResult>& tests;
};

Evidence over_seeds(const std::string& what, const Criterion& criterion, const Context& context,
                    const std::function<Evidence(std::uint64_t)>& of_seed) {
  Evidence evidence;
  evidence.what = what;
  for (const std::uint64_t seed : scored_seeds(context.prereg)) {
    evidence.parts.push_back(of_seed(seed));
  }
  evidence.truth = counted(evidence.parts, criterion.seeds);
  explain_unknown(evidence);
  return evidence;
}

Evidence over_strata(const Criterion& criterion, const Context& context) {
  Evidence evidence;
  for (const Stratum& stratum : context.analysis.strata) {
    const std::string words = to_words(stratum);
    evidence.parts.push_back(
        over_seeds(words.empty() ? "the grid" : words, criterion, context, [&](std::uint64_t seed) {
          const Question question{criterion, context.prereg, context.analysis, stratum, seed};
          return criterion.kind == Kind::kOrder ? order_of_seed(question)
                                                : limits_of_seed(question);
        }));
  }
  evidence.truth = counted(evidence.parts, criterion.strata);
  return evidence;
}

Evidence across_of_seed(const Criterion& criterion, const Context& context,
                        const std::vector<Stratum>& strata, std::uint64_t seed) {
  const auto at = [&](const Stratum& stratum) {
    return measure({criterion, context.prereg, context.analysis, stratum, seed}, criterion.arm)
        .front();
  };
  SeedComparison comparison(seed);
  const Measured value = ratio(at(strata.back()), at(strata.front()), context.analysis);
  comparison.add(within(value, criterion.limits), value.shown, value.runs);
  return comparison.take();
}

Evidence over_groups(const Criterion& criterion, const Context& context) {
  Evidence evidence;
  for (const auto& strata : groups_across(context.analysis, criterion.across)) {
    const std::string what =
        fmt::format("{} to {}", to_words(strata.front()), to_words(strata.back()));
    if (strata.size() < 2) {
      evidence.unknown = "only one level to compare across";
      evidence.settle = "more levels of " + criterion.across;
      continue;
    }
    evidence.parts.push_back(over_seeds(what, criterion, context, [&](std::uint64_t seed) {
      return across_of_seed(criterion, context, strata, seed);
    }));
  }
  evidence.truth = counted(evidence.parts, criterion.strata);
  return evidence;
}

/// The result that belongs to this criterion: equal criteria have equal results.
const TestResult* result_of(const Criterion& criterion, const Context& context) {
  for (const TestResult& result : context.tests) {
    if (result.criterion == criterion) return &result;
  }
  return nullptr;
}

Evidence of_test(const Criterion& criterion, const Context& context) {
  Evidence evidence;
  const TestResult* result = result_of(criterion, context);
  const auto* test = result != nullptr ? value_of(result->outcome) : nullptr;
  if (test == nullptr) {
    const auto& why = std::get<Undefined>(result->outcome);
    evidence.unknown = why.reason;
    evidence.settle = "values that can be ranked in every stratum and seed";
    return evidence;
  }
  evidence.numbers =
      fmt::format("statistic {}, n {}, p {:.3g}, adjusted {:.3g}, smallest possible {:.3g}",
                  format_number(test->statistic), test->n, test->p, result->adjusted_p,
                  result->adjusted_minimum_p);
  if (result->adjusted_minimum_p > criterion.p_at_most) {
    evidence.unknown =
        fmt::format("descriptive only: with these ties and this n no p below {:.3g} was possible",
                    result->adjusted_minimum_p);
    evidence.settle = "more seeds, or more levels of " + criterion.across;
    return evidence;
  }
  evidence.truth = result->adjusted_p <= criterion.p_at_most;
  return evidence;
}

Evidence evaluated(const Criterion& criterion, const Context& context);

Evidence over_parts(const Criterion& criterion, const Context& context) {
  Evidence evidence;
  const bool all = criterion.kind == Kind::kAll;
  evidence.truth = all;
  for (const Criterion& part : criterion.parts) {
    evidence.parts.push_back(evaluated(part, context));
    const Truth truth = evidence.parts.back().truth;
    if (criterion.kind == Kind::kNot) return evidence.truth = kleene_not(truth), evidence;
    evidence.truth = all ? kleene_and(evidence.truth, truth) : kleene_or(evidence.truth, truth);
  }
  return evidence;
}

Evidence by_kind(const Criterion& criterion, const Context& context) {
  switch (criterion.kind) {
    case Kind::kLimits:
    case Kind::kOrder:
      return over_strata(criterion, context);
    case Kind::kAcross:
      return over_groups(criterion, context);
    case Kind::kTest:
      return of_test(criterion, context);
    case Kind::kAll:
    case Kind::kAny:
    case Kind::kNot:
      break;
  }
  return over_parts(criterion, context);
}

std::string what_of(const Criterion& criterion) {
  switch (criterion.kind) {
    case Kind::kAll:
      return "all of";
    case Kind::kAny:
      return "any of";
    case Kind::kNot:
      return "not";
    default:
      return to_words(criterion);
  }
}

Evidence evaluated(const Criterion& criterion, const Context& context) {
  Evidence evidence = by_kind(criterion, context);
  evidence.what = what_of(criterion);
  explain_unknown(evidence);
  return evidence;
}

/// The level of `factor` in a stratum, and the stratum without it.
std::pair<Json, Stratum> split(const Stratum& stratum, const std::string& factor) {
  std::pair<Json, Stratum> parts;
  for (const Level& level : stratum.levels) {
    if (level.factor == factor) {
      parts.first = level.value;
    } else {
      parts.second.levels.push_back(level);
    }
  }
  return parts;
}

}  // namespace

Evidence evaluate(const Criterion& criterion, const Prereg& prereg, const Analysis& analysis,
                  const std::vector<TestResult>& tests) {
  return evaluated(criterion, {prereg, analysis, tests});
}

std::vector<std::uint64_t> scored_seeds(const Prereg& prereg) {
  auto seeds = prereg.seeds;
  seeds.resize(std::min(seeds.size(), analysis_plan_of(prereg).seeds_required));
  return seeds;
}

std::vector<std::vector<Stratum>> groups_across(const Analysis& analysis,
                                                const std::string& factor) {
  std::vector<std::pair<Stratum, std::vector<Stratum>>> groups;
  for (const Stratum& stratum : analysis.strata) {  // ascending already
    const auto rest = split(stratum, factor).second;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == rest; });
    if (group == groups.end()) group = groups.insert(groups.end(), {rest, {}});
    group->second.push_back(stratum);
  }
  std::vector<std::vector<Stratum>> result;
  for (auto& [rest, strata] : groups) result.push_back(std::move(strata));
  return result;
}

}  // namespace sweep
