#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// How many must hold: all of them, or at least so many.
struct Quorum {
  std::optional<std::size_t> at_least;  ///< nullopt: all
  bool operator==(const Quorum&) const = default;
};

/// Limits of a number, both inclusive; at least one is set where they are asked for.
struct Limits {
  std::optional<double> at_least;
  std::optional<double> at_most;
  bool operator==(const Limits&) const = default;
};

/// A rule over findings as it was registered: three-valued when it is evaluated, since a finding
/// may be missing or censored. One kind of comparison per criterion.
struct Criterion {
  enum class Kind {
    kAll,     ///< every part holds
    kAny,     ///< a part holds
    kNot,     ///< its only part does not hold
    kLimits,  ///< the quantity lies within `limits`
    kOrder,   ///< the quantity of `arm` is `is` (above | below) that of `than`
    kAcross,  ///< its value at the last level of `across` over that at the first is in `limits`
    kTest,    ///< `test` over the levels of `across` has an adjusted p of at most `p_at_most`
  };
  Kind kind = Kind::kLimits;
  std::vector<Criterion> parts;
  std::string quantity;
  std::string arm;    ///< "" where the quantity itself compares arms
  std::string is;     ///< above | below
  std::string than;   ///< an arm
  std::string range;  ///< name in definitions.ranges; "": the whole grid
  std::string at;     ///< same_lr | arm_best_lr; "": as the quantity has it
  Limits limits;
  std::string across;  ///< a line of the grid
  std::string test;    ///< page_l | jonckheere_terpstra
  std::string trend;   ///< falling | rising
  double p_at_most = 0;
  Quorum strata;
  Quorum seeds;  ///< judged inside each stratum
  bool operator==(const Criterion&) const = default;
};

struct Hypothesis {
  std::string id;
  std::string claim;
  Criterion supported_if;
  Criterion contradicted_if;
  bool operator==(const Hypothesis&) const = default;
};

/// What a quantity of a criterion needs and allows: the single list of the vocabulary.
struct QuantityRule {
  /// kRequired: it is a quantity of one arm; kTreatment: it compares the control with an arm, the
  /// second one unless `arm` says otherwise; kNone: its definition names the arms.
  enum class ArmUse { kRequired, kTreatment, kNone };
  enum class Use { kNo, kMay, kMust };
  std::string name;
  ArmUse arm = ArmUse::kRequired;
  Use range = Use::kNo;
  Use at = Use::kNo;
  std::string definition;             ///< key of `definitions` that it needs; "": none
  std::vector<std::string> rests_on;  ///< keys of `definitions` that its value depends on
};
const std::vector<QuantityRule>& quantity_rules();
/// nullptr when there is none of that name.
const QuantityRule* find_quantity(const std::string& name);

/// The registered hypotheses, in written order.
std::vector<Hypothesis> hypotheses_of(const Prereg& prereg);

/// What `analysis:` registers.
struct AnalysisPlan {
  std::string correction = "holm";      ///< holm | none
  std::vector<std::string> family;      ///< ids of the hypotheses that p values are adjusted for
  std::size_t seeds_required = 0;       ///< the first so many seeds are scored, no others
  std::vector<double> degraded_profile; /**< values of delta to judge again by, nats */
  bool operator==(const AnalysisPlan&) const = default;
};

/// Defaults: the family is every hypothesis, all seeds are required, the profile is half and twice
/// the registered delta.
AnalysisPlan analysis_plan_of(const Prereg& prereg);

/// The registered delta of `degraded` in `unusable`; nullopt when no rule has one.
std::optional<double> degraded_delta(const Definitions& definitions);

/// The same definitions with another delta in every rule `degraded`.
Definitions with_degraded_delta(Definitions definitions, double delta);

/// "gap over low between -0.1 and 0.05, in at least 3 strata"; quorums only where not all must
/// hold.
std::string to_words(const Criterion& criterion);

}  // namespace sweep
