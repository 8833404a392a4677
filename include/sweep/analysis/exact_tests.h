#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/analysis/finding.h"

namespace sweep {

/// Tests whose p is a share of equally likely arrangements, all of which are counted: no
/// approximation, nothing drawn at random. With two or three seeds there are few arrangements, so
/// each result says how small its p could have become; a test that could not have reached alpha
/// describes and does not decide.

/// Which arrangements count as at least as extreme as what was observed.
enum class Alternative {
  kGreater,   ///< statistic at least the observed one
  kLess,      ///< at most
  kTwoSided,  ///< at least as far from zero
};

/// The order that a trend test looks for along the given order of depths or groups.
enum class Trend { kRising, kFalling };

struct ExactTest {
  double statistic = 0;
  double p = 1;          ///< in (0, 1]: the observed arrangement is one of those counted
  double minimum_p = 1;  ///< p of the most extreme arrangement of these very values, ties included
  std::size_t n = 0;     ///< what is exchanged: seeds, values, blocks

  [[nodiscard]] bool descriptive_only(double alpha) const { return minimum_p > alpha; }
  bool operator==(const ExactTest&) const = default;
};

/// Treatment minus control, or the reverse, of two runs that differ in nothing but their arm.
struct PairedDifference {
  std::uint64_t seed = 0;
  double value = 0;
};

/// Paired randomisation test (Fisher 1935, The Design of Experiments, section 21). Statistic: the
/// mean difference. A seed's runs share their initial weights and batches, so its differences
/// change sign together: 2^n arrangements of n seeds. n: seeds. Undefined without pairs, and for
/// more than 24 seeds.
Finding<ExactTest> sign_flip(std::span<const PairedDifference> differences,
                             Alternative alternative);

/// Two independent samples, every assignment of the values to them: C(a + b, a). Statistic:
/// mean(a) - mean(b). n: values. For failures coded 0 and 1 this is Fisher's exact test. Undefined
/// when a sample is empty and for more than 2^24 assignments.
Finding<ExactTest> permutation_test(std::span<const double> a, std::span<const double> b,
                                    Alternative alternative);

/// Ranks from 1, equal values sharing the mean of theirs. Infinities are values like others.
std::vector<double> mid_ranks(std::span<const double> values);

/// One seed's values along the ordered depths, as keys to rank by: the upper end of an interval,
/// +infinity where censored on the right.
struct PageBlock {
  std::uint64_t seed = 0;
  std::vector<std::optional<double>> values;  ///< nullopt: cannot be ranked
};

struct DroppedBlock {
  std::uint64_t seed = 0;
  std::string reason;  ///< "2 of 4 values cannot be ranked"
  bool operator==(const DroppedBlock&) const = default;
};

/// Page 1963 (J. Am. Stat. Assoc. 58, 216-230): L = sum over positions j of j times the sum over
/// blocks of the rank at j, positions counted against the trend's direction. One-sided.
struct PageL : ExactTest {  // n: blocks that were ranked
  std::size_t positions = 0;
  std::vector<DroppedBlock> dropped;
};

/// Ranks within blocks (mid-ranks); under the null every order within a block is equally likely.
/// The distribution of each block, ties included, is counted exactly and blocks are convolved. An
/// incomplete block is dropped, its reason kept. Undefined when none is left, for fewer than two or
/// more than 14 positions, and for blocks of unequal length.
Finding<PageL> page_l(std::span<const PageBlock> blocks, Trend trend);

/// Terpstra 1952, Jonckheere 1954 (Biometrika 41, 133-145): over pairs of groups in order, how
/// often a value of the later one exceeds one of the earlier, a tie counting half. One-sided; every
/// assignment of the values to the groups is counted, given the ties. Only for groups that share no
/// seed. n: values. Undefined for fewer than two groups that hold values, and when the count needs
/// more than 4e7 table entries (seven groups of three are within, of four are not).
Finding<ExactTest> jonckheere_terpstra(const std::vector<std::vector<double>>& groups, Trend trend);

}  // namespace sweep
