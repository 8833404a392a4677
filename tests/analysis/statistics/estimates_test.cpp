#include "sweep/analysis/estimates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(THalfWidth, IsWideForFewSeeds) {
  // science: 8.98 s (2 seeds), 2.48 s (3), 1.24 s (5)
  EXPECT_NEAR(t_half_width(1, 2, 0.95), 8.98, 5e-3);
  EXPECT_NEAR(t_half_width(1, 3, 0.95), 2.48, 5e-3);
  EXPECT_NEAR(t_half_width(1, 5, 0.95), 1.24, 5e-3);
}

TEST(Tost, NeedsASmallDeviationForThreeSeedsAndATinyOneForTwo) {
  // science: (X - |d|) / 1.69 for three seeds, / 4.46 for two
  const auto three = std::get<Tost>(tost(std::array{0.01, 0.02, 0.03}, {-0.05, 0.05}));
  EXPECT_NEAR(0.03 / three.sd_needed(0.05), 1.69, 5e-3);
  EXPECT_LT(three.p(), 0.05);  // its deviation of .01 is small enough
  const auto two = std::get<Tost>(tost(std::array{0.01, 0.03}, {-0.05, 0.05}));
  EXPECT_NEAR(0.03 / two.sd_needed(0.05), 4.46, 6e-3);
  EXPECT_GT(two.p(), 0.05);
}

TEST(Tost, IsDecidedByTheWorseSide) {
  const auto result = std::get<Tost>(tost(std::array{0.03, 0.04, 0.05}, {-1, 0.05}));
  EXPECT_LT(result.p_low, 1e-3);
  EXPECT_EQ(result.p(), result.p_high);
}

TEST(Tost, OutsideTheMarginsNoDeviationWouldDo) {
  const auto result = std::get<Tost>(tost(std::array{0.2, 0.3, 0.4}, {-0.1, 0.05}));
  EXPECT_GT(result.p(), 0.5);
  EXPECT_EQ(result.sd_needed(0.05), 0);
}

TEST(Tost, IsUndefinedForOneDifferenceForEqualOnesAndForNoRoom) {
  EXPECT_EQ(std::get<Undefined>(tost(std::array{0.1}, {-1, 1})).reason,
            "a t test needs at least two differences");
  EXPECT_EQ(std::get<Undefined>(tost(std::array{0.1, 0.1}, {-1, 1})).reason,
            "the differences do not vary");
  EXPECT_EQ(std::get<Undefined>(tost(std::array{0.1, 0.2}, {1, 1})).reason,
            "the margins leave no room");
}

TEST(Holm, AdjustsInTheOrderGiven) {
  const auto adjusted = holm(std::array{0.04, 0.01, 0.03});
  EXPECT_THAT(adjusted, testing::ElementsAre(testing::DoubleEq(0.06), testing::DoubleEq(0.03),
                                             testing::DoubleEq(0.06)));
}

TEST(Holm, ATestWithoutAPStillCounts) {
  EXPECT_DOUBLE_EQ(holm(std::array{0.02, 1.0, 1.0})[0], 0.06);
  EXPECT_TRUE(holm({}).empty());
}

TEST(FailureUpperBound, IsHighWithoutFailures) {
  // science: 78 %, 63 %, 45 % for two, three, five seeds
  EXPECT_NEAR(failure_upper_bound(0, 2, 0.95), 0.776, 5e-4);
  EXPECT_NEAR(failure_upper_bound(0, 3, 0.95), 0.632, 5e-4);
  EXPECT_NEAR(failure_upper_bound(0, 5, 0.95), 0.451, 5e-4);
  EXPECT_EQ(failure_upper_bound(2, 2, 0.95), 1);
}

TEST(ThresholdSlope, TakesTheCornersOfTheIntervals) {
  // One doubling: between log10(.03/.1) and log10(.03/.03).
  const std::array thresholds = {ThresholdInterval{2, 0.03, 0.1}, ThresholdInterval{4, 0.01, 0.03}};
  const auto slope = std::get<SlopeBounds>(threshold_slope(thresholds));
  EXPECT_NEAR(slope.min.value(), -1, 1e-12);
  EXPECT_NEAR(slope.max.value(), 0, 1e-12);
  EXPECT_EQ(slope.n, 2U);
}

TEST(ThresholdSlope, CensoringLeavesOneSideOpen) {
  // "> .3" at depth 2: the fall may be as steep as one likes, but not less than this.
  const std::array right = {ThresholdInterval{2, 0.3, kInfinity}, ThresholdInterval{4, 0.03, 0.1}};
  const auto falls = std::get<SlopeBounds>(threshold_slope(right));
  EXPECT_EQ(falls.min, std::nullopt);
  EXPECT_NEAR(falls.max.value(), std::log10(0.1 / 0.3), 1e-12);
  const std::array left = {ThresholdInterval{2, 0, 0.001}, ThresholdInterval{4, 0.03, 0.1}};
  EXPECT_EQ(std::get<SlopeBounds>(threshold_slope(left)).max, std::nullopt);
}

TEST(ThresholdSlope, AMiddleDepthHasNoSayWhateverItsInterval) {
  const std::array thresholds = {ThresholdInterval{2, 0.1, 0.3},
                                 ThresholdInterval{4, 0.3, kInfinity},
                                 ThresholdInterval{8, 0.03, 0.1}};
  const auto slope = std::get<SlopeBounds>(threshold_slope(thresholds));
  EXPECT_NEAR(slope.min.value(), std::log10(0.03 / 0.3) / 2, 1e-12);
}

TEST(ThresholdSlope, IsUndefinedForOneDepth) {
  const std::array one = {ThresholdInterval{2, 0.1, 0.3}, ThresholdInterval{2, 0.03, 0.1}};
  EXPECT_EQ(std::get<Undefined>(threshold_slope(one)).reason,
            "a slope needs thresholds at two depths");
  EXPECT_EQ(value_of(threshold_slope({})), nullptr);
}

}  // namespace
}  // namespace sweep
