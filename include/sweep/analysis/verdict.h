#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/analysis.h"
#include "sweep/analysis/exact_tests.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {

/// A criterion, or one stratum or seed of it, as it was evaluated: what was compared, what came
/// out, from which numbers and runs. Three-valued after Kleene; nullopt is "unknown".
struct Evidence {
  std::string what;  ///< the criterion in words, "n_layer 2", "seed 1"
  std::optional<bool> truth;
  std::string numbers;  ///< what was compared: "base [1e-2, 3e-2), qknorm ≥ 3e-1"; "" in a branch
  std::string unknown;  ///< why it cannot be decided
  std::string settle;   ///< what would decide it
  std::vector<std::string> runs;  ///< ids of the runs that the numbers rest on
  std::vector<Evidence> parts;
  bool operator==(const Evidence&) const = default;
};

/// One registered test, its p adjusted for the registered family.
struct TestResult {
  std::string hypothesis;
  std::string rule;  ///< supported_if | contradicted_if
  Criterion criterion;
  Finding<ExactTest> outcome = Undefined{};
  double adjusted_p = 1;          ///< by the registered correction; 1 when undefined
  double adjusted_minimum_p = 1;  ///< the smallest that these very values could have given
};

/// science: 6.0 item 10 and 17.
enum class VerdictKind {
  kSupported,     ///< `supported_if` holds, `contradicted_if` does not
  kContradicted,  ///< the reverse
  kNotSupported,  ///< neither holds, and nothing is unknown that could change that
  kInconclusive,  ///< a rule cannot be decided: missing, censored, tied, too few seeds
  kConflict,      ///< both hold: the registration contradicts itself
};
std::string to_string(VerdictKind kind);

struct Verdict {
  std::string id;
  std::string claim;
  VerdictKind kind = VerdictKind::kInconclusive;
  std::string reason;  ///< one sentence
  std::string settle;  ///< what would settle an inconclusive one; "" otherwise
  std::string limits;  ///< what it does not show
  /// How the way to it differed from the first registration; filled in by room report.
  std::vector<std::string> deviations;
  Evidence supported;
  Evidence contradicted;
  std::vector<TestResult> tests;
};

/// Every registered hypothesis judged by its registered rules. Pure.
std::vector<Verdict> judge_hypotheses(const Prereg& prereg, const Analysis& analysis);

}  // namespace sweep
