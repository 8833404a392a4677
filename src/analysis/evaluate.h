#pragma once

#include <vector>

#include "analysis/measured.h"
#include "sweep/analysis/verdict.h"

namespace sweep {

/// The registered tests of all hypotheses with their adjusted p, in the order of the file.
std::vector<TestResult> run_tests(const Prereg& prereg, const Analysis& analysis,
                                  const std::vector<Hypothesis>& hypotheses);

/// A criterion evaluated over strata and seeds; `tests` holds the results of the tests in it.
Evidence evaluate(const Criterion& criterion, const Prereg& prereg, const Analysis& analysis,
                  const std::vector<TestResult>& tests);

/// The seeds that are scored: the first `seeds_required`, no more.
std::vector<std::uint64_t> scored_seeds(const Prereg& prereg);

/// The strata that differ in nothing but their level of `factor`, ascending in it; one group per
/// combination of the other factors.
std::vector<std::vector<Stratum>> groups_across(const Analysis& analysis,
                                                const std::string& factor);

}  // namespace sweep
