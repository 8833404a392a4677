#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/evaluate.h"
#include "sweep/analysis/estimates.h"

namespace sweep {
namespace {

using Kind = Criterion::Kind;

Trend trend_of(const Criterion& criterion) {
  return criterion.trend == "falling" ? Trend::kFalling : Trend::kRising;
}

/// To twelve digits, so that averages that differ in their last bits tie.
double without_rounding(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 11 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

/// What a value is ranked by: its upper end.
std::optional<double> key_of(const Criterion& criterion, const Prereg& prereg,
                             const Analysis& analysis, const Stratum& stratum, std::uint64_t seed) {
  const Measured value =
      measure({criterion, prereg, analysis, stratum, seed}, criterion.arm).front();
  return value.value ? std::optional(without_rounding(value.value->high)) : std::nullopt;
}

/// A block is a seed, in each combination of the other factors.
std::vector<PageBlock> blocks_of(const Criterion& criterion, const Prereg& prereg,
                                 const Analysis& analysis) {
  std::vector<PageBlock> blocks;
  for (const auto& strata : groups_across(analysis, criterion.across)) {
    for (const std::uint64_t seed : scored_seeds(prereg)) {
      PageBlock block{seed, {}};
      for (const Stratum& stratum : strata) {
        block.values.push_back(key_of(criterion, prereg, analysis, stratum, seed));
      }
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

/// An incomplete block is a seed that could not be scored: n is registered, so none may be left
/// out.
Finding<ExactTest> page(const Criterion& criterion, const Prereg& prereg,
                        const Analysis& analysis) {
  const auto result = page_l(blocks_of(criterion, prereg, analysis), trend_of(criterion));
  if (const auto* why = std::get_if<Undefined>(&result)) return *why;
  const auto& page = std::get<PageL>(result);
  if (page.dropped.empty()) return static_cast<const ExactTest&>(page);
  const DroppedBlock& first = page.dropped.front();
  return Undefined{"seed " + std::to_string(first.seed) + ": " + first.reason, {}};
}

Finding<ExactTest> jonckheere(const Criterion& criterion, const Prereg& prereg,
                              const Analysis& analysis) {
  const auto across = groups_across(analysis, criterion.across);
  if (across.size() != 1) return Undefined{"the strata differ in more than one factor", {}};
  std::vector<std::vector<double>> groups;
  for (const Stratum& stratum : across.front()) {
    auto& group = groups.emplace_back();
    for (const std::uint64_t seed : scored_seeds(prereg)) {
      const auto key = key_of(criterion, prereg, analysis, stratum, seed);
      if (!key) return Undefined{"a value cannot be ranked", {}};
      group.push_back(*key);
    }
  }
  return jonckheere_terpstra(groups, trend_of(criterion));
}

void for_each_test(const Criterion& criterion, const std::function<void(const Criterion&)>& visit) {
  if (criterion.kind == Kind::kTest) visit(criterion);
  for (const Criterion& part : criterion.parts) for_each_test(part, visit);
}

/// Holm over the family: every test of its hypotheses, and one that counts as p = 1 for each of
/// them that has none, so that the family keeps its size.
void adjust(std::vector<TestResult>& results, const AnalysisPlan& plan) {
  std::vector<double> p;
  std::vector<TestResult*> owners;
  for (const std::string& id : plan.family) {
    const std::size_t before = p.size();
    for (TestResult& result : results) {
      const auto* test = value_of(result.outcome);
      if (result.hypothesis != id) continue;
      p.push_back(test != nullptr ? test->p : 1);
      owners.push_back(&result);
    }
    if (p.size() > before) continue;
    p.push_back(1);
    owners.push_back(nullptr);
  }
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (owners[i] == nullptr) continue;
    owners[i]->adjusted_p = adjusted[i];
    const auto* test = value_of(owners[i]->outcome);
    if (test == nullptr) continue;
    owners[i]->adjusted_minimum_p = std::min(1.0, static_cast<double>(p.size()) * test->minimum_p);
  }
}

}  // namespace

std::vector<TestResult> run_tests(const Prereg& prereg, const Analysis& analysis,
                                  const std::vector<Hypothesis>& hypotheses) {
  std::vector<TestResult> results;
  for (const Hypothesis& hypothesis : hypotheses) {
    for (const auto& [rule, criterion] :
         {std::pair{"supported_if", &hypothesis.supported_if},
          std::pair{"contradicted_if", &hypothesis.contradicted_if}}) {
      for_each_test(*criterion, [&, name = rule](const Criterion& test) {
        TestResult result{hypothesis.id, name, test,
                          test.test == "page_l" ? page(test, prereg, analysis)
                                                : jonckheere(test, prereg, analysis)};
        if (const auto* outcome = value_of(result.outcome)) {
          result.adjusted_p = outcome->p;
          result.adjusted_minimum_p = outcome->minimum_p;
        }
        results.push_back(std::move(result));
      });
    }
  }
  const AnalysisPlan plan = analysis_plan_of(prereg);
  if (plan.correction == "holm") adjust(results, plan);
  return results;
}

}  // namespace sweep
