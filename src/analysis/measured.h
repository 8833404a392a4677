#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/kleene.h"
#include "sweep/analysis/analysis.h"
#include "sweep/prereg/hypotheses.h"

namespace sweep {

/// What is known of a number: a point (low == high), or a bracket [low, high) of the grid, open to
/// +infinity where censored.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// A quantity of one stratum and seed, or why it cannot be compared.
struct Measured {
  std::optional<Interval> value;
  std::string shown;              ///< as a table has it: "≥ 3e-1", "0.214", "none"
  std::string unknown;            ///< why there is no value; "" when there is one
  std::string settle;             ///< what would give one, or tell a censored value from another
  std::vector<std::string> runs;  ///< what it rests on, or what is missing
};

/// What is asked about: one criterion in one stratum and for one seed.
struct Question {
  const Criterion& criterion;
  const Prereg& prereg;
  const Analysis& analysis;
  const Stratum& stratum;
  std::uint64_t seed = 0;
};

/// The criterion's quantity of an arm ("" where the quantity itself compares arms); one entry per
/// level where every level counts on its own. Never empty.
std::vector<Measured> measure(const Question& question, const std::string& arm);

/// The next half decade above a level (1, 3, 10, ... times a power of ten): what a grid that ended
/// too early should reach.
double next_half_decade(double x);

}  // namespace sweep
