#include "sweep/analysis/exact_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<PairedDifference> one_per_seed(const std::vector<double>& values) {
  std::vector<PairedDifference> differences;
  for (const double value : values) differences.push_back({differences.size() + 1, value});
  return differences;
}

ExactTest flipped(const std::vector<double>& values, Alternative alternative) {
  return std::get<ExactTest>(sign_flip(one_per_seed(values), alternative));
}

TEST(SignFlip, FloorIsOneOverTwoToTheSeeds) {
  // science: .25, .125, .031 for two, three, five seeds
  EXPECT_EQ(flipped({0.2, 0.3}, Alternative::kGreater).minimum_p, 0.25);
  EXPECT_EQ(flipped({0.2, 0.3, 0.4}, Alternative::kGreater).minimum_p, 0.125);
  EXPECT_EQ(flipped({0.2, 0.3, 0.4, 0.1, 0.6}, Alternative::kGreater).minimum_p, 1.0 / 32);
  EXPECT_EQ(flipped({0.2, 0.3, 0.4}, Alternative::kTwoSided).minimum_p, 0.25);
}

TEST(SignFlip, ThreeSeedsDescribeAndFiveDecide) {
  EXPECT_TRUE(flipped({1, 2, 3}, Alternative::kGreater).descriptive_only(0.05));
  EXPECT_FALSE(flipped({1, 2, 3, 4, 5}, Alternative::kGreater).descriptive_only(0.05));
}

TEST(SignFlip, MorePairsOfASeedAddNoArrangements) {
  std::vector<PairedDifference> differences;
  for (int rate = 0; rate < 10; ++rate) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) differences.push_back({seed, 0.1 * (rate + 1)});
  }
  const auto test = std::get<ExactTest>(sign_flip(differences, Alternative::kGreater));
  EXPECT_EQ(test.n, 3U);
  EXPECT_EQ(test.p, 0.125);
  EXPECT_NEAR(test.statistic, 0.55, 1e-12);
}

TEST(SignFlip, ADifferenceOfZeroHasNoSignToFlip) {
  EXPECT_EQ(flipped({0, 0.5, 0.5}, Alternative::kGreater).minimum_p, 0.25);
  EXPECT_EQ(flipped({0, 0}, Alternative::kTwoSided).p, 1);
}

TEST(SignFlip, CountsSumsThatDifferOnlyByRounding) {
  // 0.1 + 0.2 - 0.3 is 5.6e-17 and not 0: the sums are 0 twice and above it three times.
  EXPECT_EQ(flipped({0.1, 0.2, -0.3}, Alternative::kGreater).p, 5.0 / 8);
}

TEST(SignFlip, IsUndefinedWithoutPairsAndForMoreSeedsThanCanBeCounted) {
  EXPECT_EQ(std::get<Undefined>(sign_flip({}, Alternative::kGreater)).reason, "no pairs");
  const auto many = sign_flip(one_per_seed(std::vector<double>(25, 1.0)), Alternative::kGreater);
  EXPECT_EQ(std::get<Undefined>(many).reason, "more than 24 seeds to flip");
}

ExactTest permuted(const std::vector<double>& a, const std::vector<double>& b) {
  return std::get<ExactTest>(permutation_test(a, b, Alternative::kGreater));
}

TEST(PermutationTest, FloorIsOneOverTheNumberOfAssignments) {
  // science: .167 (2 v 2), .05 (3 v 3), .004 (5 v 5)
  EXPECT_DOUBLE_EQ(permuted({3, 4}, {1, 2}).minimum_p, 1.0 / 6);
  EXPECT_DOUBLE_EQ(permuted({4, 5, 6}, {1, 2, 3}).minimum_p, 1.0 / 20);
  EXPECT_DOUBLE_EQ(permuted({6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}).minimum_p, 1.0 / 252);
}

TEST(PermutationTest, AllAgainstNoFailuresIsFishersExactTest) {
  EXPECT_DOUBLE_EQ(permuted({1, 1, 1}, {0, 0, 0}).p, 1.0 / 20);
}

TEST(PermutationTest, IsUndefinedForAnEmptySampleAndForTooManyAssignments) {
  const std::vector<double> none;
  const std::vector<double> many(15, 1.0);
  EXPECT_EQ(std::get<Undefined>(permutation_test(none, many, Alternative::kLess)).reason,
            "a sample is empty");
  EXPECT_EQ(std::get<Undefined>(permutation_test(many, many, Alternative::kLess)).reason,
            "more than 2^24 assignments to count");
}

TEST(MidRanks, EqualValuesShareTheMeanOfTheirRanks) {
  EXPECT_THAT(mid_ranks(std::array{0.3, 0.1, 0.3, kInfinity, kInfinity, 0.3}),
              testing::ElementsAre(3, 1, 3, 5.5, 5.5, 3));
}

PageL page(const std::vector<std::vector<double>>& rows, Trend trend = Trend::kRising) {
  std::vector<PageBlock> blocks;
  for (const auto& row : rows) {
    blocks.push_back({blocks.size() + 1, {row.begin(), row.end()}});
  }
  return std::get<PageL>(page_l(blocks, trend));
}

/// P(L >= l) for n blocks of k, no ties: a set of blocks with that L gives it.
double page_tail(std::size_t k, std::size_t n, double l) {
  // Start from perfect agreement, and lower L one by one: swapping neighbours j, j + 1 costs one.
  std::vector<double> perfect(k);
  std::iota(perfect.begin(), perfect.end(), 1);
  std::vector<std::vector<double>> rows(n, perfect);
  double excess = page(rows).statistic - l;
  for (auto& row : rows) {
    for (std::size_t pass = 0; pass < k && excess > 0; ++pass) {
      for (std::size_t j = 0; j + 1 < k && excess > 0; ++j) {
        const double cost = row[j + 1] - row[j];
        if (cost <= 0 || cost > excess) continue;
        std::swap(row[j], row[j + 1]);
        excess -= cost;
      }
    }
  }
  EXPECT_EQ(page(rows).statistic, l);
  return page(rows).p;
}

TEST(PageL, CriticalValuesAreThoseOfPage1963) {
  struct Row {
    std::size_t k, n;
    std::vector<double> critical;  // smallest L significant at .05, .01, .001
  };
  const std::vector<Row> table = {
      {3, 3, {41, 42}},        {3, 4, {54, 55, 56}},    {3, 5, {66, 68, 70}},
      {4, 2, {58, 60}},        {4, 3, {84, 87, 89}},    {4, 4, {111, 114, 117}},
      {4, 5, {137, 141, 145}}, {5, 2, {103, 106, 109}}, {5, 3, {150, 155, 160}},
      {6, 3, {244, 252, 260}}, {7, 3, {370, 382, 394}}};
  const std::array alphas = {0.05, 0.01, 0.001};
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.critical.size(); ++i) {
      EXPECT_LE(page_tail(row.k, row.n, row.critical[i]), alphas[i]) << row.k << " " << row.n;
      EXPECT_GT(page_tail(row.k, row.n, row.critical[i] - 1), alphas[i]) << row.k << " " << row.n;
    }
  }
}

TEST(PageL, FloorIsOneOverTheNumberOfOrders) {
  // science: (4!)^n, 576 and 13824; three depths and two seeds: 1/36 = .028
  EXPECT_NEAR(page({{1, 2, 3, 4}, {1, 2, 3, 4}}).minimum_p, 1.0 / 576, 1e-15);
  EXPECT_NEAR(page({{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}).minimum_p, 1.0 / 13824, 1e-16);
  EXPECT_NEAR(page({{1, 2, 3}, {1, 2, 3}}).minimum_p, 1.0 / 36, 1e-15);
  EXPECT_DOUBLE_EQ(page({{1, 2}, {1, 2}}).minimum_p, 0.25);  // two depths, two seeds: never
}

TEST(PageL, TiesRaiseTheFloor) {
  const PageL tied = page({{0.1, 0.1, 0.03, 0.03}, {0.1, 0.1, 0.03, 0.03}}, Trend::kFalling);
  EXPECT_NEAR(tied.p, 1.0 / 36, 1e-15);  // 4!/(2! 2!) = 6 orders can be told apart
  EXPECT_EQ(tied.p, tied.minimum_p);
}

TEST(PageL, WithNothingButTiesThereIsNoTrend) {
  const PageL flat = page({{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}});
  EXPECT_EQ(flat.p, 1);
  EXPECT_EQ(flat.minimum_p, 1);
  EXPECT_TRUE(flat.descriptive_only(0.05));
}

TEST(PageL, CensoredOnTheRightTie) {
  EXPECT_EQ(page({{kInfinity, kInfinity, 0.1}}, Trend::kFalling).statistic, 1 + 2 * 2.5 + 3 * 2.5);
}

TEST(PageL, RisingAndFallingMirrorEachOther) {
  const std::vector<std::vector<double>> rows = {{1, 3, 2, 4}, {2, 1, 3, 4}};
  const std::vector<std::vector<double>> mirrored = {{4, 2, 3, 1}, {4, 3, 1, 2}};
  EXPECT_EQ(page(rows, Trend::kRising).p, page(mirrored, Trend::kFalling).p);
  EXPECT_GT(page(rows, Trend::kFalling).p, 0.9);
}

TEST(PageL, SevenDepthsAndFiveSeedsAreCounted) {
  const std::vector<double> row = {1, 2, 3, 4, 5, 6, 7};
  const PageL perfect = page({row, row, row, row, row});
  EXPECT_NEAR(perfect.p * std::pow(5040.0, 5), 1, 1e-12);
  EXPECT_EQ(perfect.positions, 7U);
}

TEST(PageL, AnIncompleteBlockIsDroppedWithItsReason) {
  const std::vector<PageBlock> blocks = {{1, {3.0, 2.0, 1.0}}, {2, {3.0, std::nullopt, 1.0}}};
  const auto result = std::get<PageL>(page_l(blocks, Trend::kFalling));
  EXPECT_EQ(result.n, 1U);
  EXPECT_NEAR(result.p, 1.0 / 6, 1e-15);
  EXPECT_THAT(result.dropped,
              testing::ElementsAre(DroppedBlock{2, "1 of 3 values cannot be ranked"}));
}

TEST(PageL, IsUndefinedWhenNoBlockIsLeft) {
  const std::vector<PageBlock> blocks = {{1, {std::nullopt, 2.0}}, {2, {std::nullopt, 1.0}}};
  EXPECT_EQ(std::get<Undefined>(page_l(blocks, Trend::kFalling)).reason,
            "every block holds a value that cannot be ranked");
}

TEST(PageL, IsUndefinedForOneDepth) {
  const std::vector<PageBlock> blocks = {{1, {1.0}}, {2, {2.0}}};
  EXPECT_EQ(std::get<Undefined>(page_l(blocks, Trend::kFalling)).reason,
            "a trend needs at least two positions");
}

ExactTest jonckheere(const std::vector<std::vector<double>>& groups, Trend trend = Trend::kRising) {
  return std::get<ExactTest>(jonckheere_terpstra(groups, trend));
}

TEST(JonckheereTerpstra, FloorIsOneOverTheNumberOfAssignments) {
  // science: 90 (3 groups of 2), 2520 (4 of 2), 369600 (4 of 3)
  EXPECT_NEAR(jonckheere({{1, 2}, {3, 4}, {5, 6}}).minimum_p, 1.0 / 90, 1e-15);
  EXPECT_NEAR(jonckheere({{1, 2}, {3, 4}, {5, 6}, {7, 8}}).minimum_p, 1.0 / 2520, 1e-16);
  EXPECT_NEAR(jonckheere({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}).p, 1.0 / 369600, 1e-18);
}

TEST(JonckheereTerpstra, HasTheTabulatedTailsForThreeGroupsOfSix) {
  // Hollander & Wolfe, Nonparametric Statistical Methods, table of J: .0490 at 75, .0231 at 79.
  // Of 108 pairs, 33 (29) are put out of order by moving the last group's lowest values down.
  const auto with = [](double j) {
    std::vector<std::vector<double>> groups = {
        {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, {13, 14, 15, 16, 17, 18}};
    double excess = 108 - j;
    for (double& value : groups[2]) {
      const double down = std::min(excess, 12.0);
      value = 12.5 - down + 0.01 * value;
      if (down == 0) value += 10;
      excess -= down;
    }
    const ExactTest test = jonckheere(groups);
    EXPECT_EQ(test.statistic, j);
    return test.p;
  };
  EXPECT_NEAR(with(75), 0.0490, 5e-5);
  EXPECT_NEAR(with(79), 0.0231, 5e-5);
}

TEST(JonckheereTerpstra, FallingIsRisingInTheOtherOrder) {
  EXPECT_EQ(jonckheere({{5, 6}, {3, 4}, {1, 1}}, Trend::kFalling),
            jonckheere({{1, 1}, {3, 4}, {5, 6}}, Trend::kRising));
}

TEST(JonckheereTerpstra, WithNothingButTiesThereIsNoTrend) {
  EXPECT_EQ(jonckheere({{7, 7}, {7, 7}, {7, 7}}).minimum_p, 1);
}

TEST(JonckheereTerpstra, SevenGroupsOfThreeAreCounted) {
  std::vector<std::vector<double>> groups(7);
  double value = 0;
  for (auto& group : groups) group = {++value, ++value, ++value};
  EXPECT_NEAR(jonckheere(groups).p * std::tgamma(22.0) / std::pow(6.0, 7), 1, 1e-12);
}

TEST(JonckheereTerpstra, IsUndefinedForOneGroupAndForTooManyValues) {
  EXPECT_EQ(std::get<Undefined>(jonckheere_terpstra({{1, 2}, {}}, Trend::kRising)).reason,
            "fewer than two groups hold values");
  const std::vector<std::vector<double>> many(8, std::vector<double>(5, 1.0));
  EXPECT_EQ(std::get<Undefined>(jonckheere_terpstra(many, Trend::kRising)).reason,
            "too many values to count");
}

}  // namespace
}  // namespace sweep
