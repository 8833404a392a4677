#include "sweep/analysis/lr_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/study_builder.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

LrSensitivity defined(const Finding<LrSensitivity>& finding) {
  EXPECT_NE(value_of(finding), nullptr);
  return std::get<LrSensitivity>(finding);
}

LrSensitivity equal(const std::vector<LossPoint>& points) {
  return defined(lr_sensitivity(points, Weights::kEqual));
}

LrSensitivity trapezoid(const std::vector<LossPoint>& points) {
  return defined(lr_sensitivity(points, Weights::kLogTrapezoid));
}

/// A random curve: 1 to 13 points, losses on both sides of the initial loss, some non-finite.
std::vector<LossPoint> random_curve(RandomStream& random) {
  std::vector<LossPoint> points(1 + random.below(13));
  const double initial = 3 + random.uniform();
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {1e-4 * std::pow(10, 0.3 * static_cast<double>(i) + 0.2 * random.uniform()),
                 initial - 2 + 3 * random.uniform(), initial};
    if (random.below(8) == 0) points[i].final_loss.reset();
  }
  return points;
}

void for_random_curves(const std::function<void(std::vector<LossPoint>, RandomStream&)>& check) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    RandomStream random(7, "curves", i);
    check(random_curve(random), random);
  }
}

TEST(LrSensitivity, IsTheMeanExcessOverTheBestLoss) {
  const auto s = equal({{1e-3, 2.0, 4.0}, {1e-2, 2.5, 4.0}, {1e-1, 3.0, 4.0}});
  EXPECT_DOUBLE_EQ(s.value, 0.5);
  EXPECT_DOUBLE_EQ(s.best_loss, 2.0);
  EXPECT_DOUBLE_EQ(s.best_x, 1e-3);
  EXPECT_DOUBLE_EQ(s.initial_loss, 4.0);
  EXPECT_FALSE(s.never_trained);
}

TEST(LrSensitivity, IsMadeOfSlownessBelowAndInstabilityAboveTheBest) {
  const auto s = equal({{1e-3, 3.0, 4.0}, {1e-2, 2.0, 4.0}, {1e-1, 2.5, 4.0}, {3e-1, 9.0, 4.0}});
  EXPECT_DOUBLE_EQ(s.below, 0.25);
  EXPECT_DOUBLE_EQ(s.above, 0.125 + 0.5);
  EXPECT_DOUBLE_EQ(s.value, s.below + s.above);
  EXPECT_DOUBLE_EQ(s.normalised(), s.value / 2);
}

TEST(LrSensitivity, IsSplitAtTheArmsBestWhichNeedNotBeTheSeeds) {
  // Seed means: 2.5 at 1e-3, 2.25 at 1e-2, 3 at 1e-1; seed 1 is best at 1e-3.
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0}).cell("base", 2, 1e-2, {2.5, 2.0});
  study.cell("base", 2, 1e-1, {3.0, 3.0});
  const auto s = defined(study.analysis().curves[0].sensitivity.per_seed[0].second);
  EXPECT_DOUBLE_EQ(s.best_x, 1e-3);
  EXPECT_DOUBLE_EQ(s.value, 1.5 / 3);
  EXPECT_DOUBLE_EQ(s.below, 0);
  EXPECT_DOUBLE_EQ(s.above, 1.0 / 3);
}

TEST(LrSensitivity, ClampsAtInitialLoss) {
  EXPECT_DOUBLE_EQ(equal({{1e-3, 2.0, 4.0}, {1e-2, 22.0, 4.0}}).value, 1.0);
}

TEST(LrSensitivity, CountsANonFiniteRunAsItsInitialLoss) {
  EXPECT_DOUBLE_EQ(equal({{1e-3, 2.0, 4.0}, {1e-2, std::nullopt, 4.0}}).value, 1.0);
}

TEST(LrSensitivity, CapsEachRunAtItsOwnInitialLoss) {
  EXPECT_DOUBLE_EQ(equal({{1e-3, 2.0, 4.0}, {1e-2, 9.0, 3.0}}).value, 0.5);
}

TEST(LrSensitivity, FlagsACurveThatNeverTrained) {
  const auto s = equal({{1e-3, 4.0, 4.0}, {1e-2, std::nullopt, 4.0}, {1e-1, 5.0, 4.0}});
  EXPECT_TRUE(s.never_trained);
  EXPECT_EQ(s.value, 0);
  EXPECT_DOUBLE_EQ(s.best_loss, 4.0);
}

TEST(LrSensitivity, AttributesATieToTheLowerRate) {
  EXPECT_EQ(equal({{1e-1, 2.0, 4.0}, {1e-2, 2.0, 4.0}, {1e-3, 2.5, 4.0}}).best_x, 1e-2);
}

TEST(LrSensitivity, OfASinglePointIsZero) {
  EXPECT_EQ(equal({{1e-3, 2.0, 4.0}}).value, 0);
  EXPECT_EQ(trapezoid({{1e-3, 2.0, 4.0}}).value, 0);
}

TEST(LrSensitivity, TrapezoidWeighsByLogDistance) {
  // ln 10 between the first two, 2 ln 10 between the last: (1*0.5 + 2*1.5) / 3 above the best.
  const auto s = trapezoid({{1e-4, 2.0, 9.0}, {1e-3, 3.0, 9.0}, {1e-1, 4.0, 9.0}});
  EXPECT_NEAR(s.value, 3.5 / 3, 1e-12);
}

TEST(LrSensitivity, TrapezoidIsUnmovedByAPointOnTheLine) {
  const std::vector<LossPoint> coarse = {{1e-4, 2.0, 9.0}, {1e-2, 3.0, 9.0}};
  const std::vector<LossPoint> fine = {{1e-4, 2.0, 9.0}, {1e-3, 2.5, 9.0}, {1e-2, 3.0, 9.0}};
  EXPECT_NEAR(trapezoid(coarse).value, trapezoid(fine).value, 1e-12);
}

TEST(LrSensitivity, TrapezoidNeedsPositiveRates) {
  const std::vector<LossPoint> points = {{0.0, 2.0, 4.0}, {1e-2, 2.0, 4.0}};
  EXPECT_EQ(value_of(lr_sensitivity(points, Weights::kLogTrapezoid)), nullptr);
  EXPECT_NE(value_of(lr_sensitivity(points, Weights::kEqual)), nullptr);
}

TEST(LrSensitivity, LiesBetweenZeroAndTheTrainedDistance) {
  for_random_curves([](const std::vector<LossPoint>& points, RandomStream&) {
    for (const auto& s : {equal(points), trapezoid(points)}) {
      EXPECT_GE(s.value, 0);
      EXPECT_LE(s.value, s.initial_loss - s.best_loss + 1e-12);
    }
  });
}

TEST(LrSensitivity, IsZeroExactlyWhenTheCappedCurveIsFlat) {
  for_random_curves([](const std::vector<LossPoint>& points, RandomStream&) {
    const auto capped = [](const LossPoint& p) {
      return std::min(p.final_loss.value_or(p.initial_loss), p.initial_loss);
    };
    const bool flat = std::all_of(points.begin(), points.end(), [&](const LossPoint& p) {
      return capped(p) == capped(points[0]);
    });
    EXPECT_EQ(equal(points).value == 0, flat);
    EXPECT_EQ(trapezoid(points).value == 0, flat);
    std::vector<LossPoint> level = points;
    for (LossPoint& p : level) p.final_loss = 2.3;
    EXPECT_EQ(equal(level).value, 0);
    EXPECT_EQ(trapezoid(level).value, 0);
  });
}

TEST(LrSensitivity, IsUnchangedByAConstantAddedToAllLosses) {
  for_random_curves([](const std::vector<LossPoint>& points, RandomStream& random) {
    const double shift = random.uniform() - 0.5;
    std::vector<LossPoint> shifted = points;
    for (LossPoint& p : shifted) {
      p.initial_loss += shift;
      if (p.final_loss) *p.final_loss += shift;
    }
    EXPECT_NEAR(equal(points).value, equal(shifted).value, 1e-12);
    EXPECT_NEAR(trapezoid(points).value, trapezoid(shifted).value, 1e-12);
  });
}

TEST(LrSensitivity, DoesNotDependOnTheOrderOfPoints) {
  for_random_curves([](const std::vector<LossPoint>& points, RandomStream& random) {
    std::vector<LossPoint> shuffled = points;
    for (std::size_t i = shuffled.size(); i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[random.below(i)]);
    }
    EXPECT_EQ(equal(points), equal(shuffled));
    EXPECT_EQ(trapezoid(points), trapezoid(shuffled));
  });
}

TEST(LrSensitivity, TreatsARunAboveItsInitialLossAsANonFiniteOne) {
  for_random_curves([](const std::vector<LossPoint>& points, RandomStream& random) {
    std::vector<LossPoint> above = points;
    std::vector<LossPoint> nonfinite = points;
    const std::size_t i = random.below(points.size());
    above[i].final_loss = above[i].initial_loss + 1 + random.uniform();
    nonfinite[i].final_loss.reset();
    EXPECT_EQ(equal(above), equal(nonfinite));
    EXPECT_EQ(trapezoid(above), trapezoid(nonfinite));
  });
}

TEST(WortsmanPoints, AreFoundAmongOthers) {
  std::vector<LossPoint> points;
  for (const double x : {3e-4, 5.5e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.7e-1, 3e-1}) {
    points.push_back({x, 2 + x, 4.0});
  }
  const auto seven = wortsman_points(points);
  ASSERT_NE(value_of(seven), nullptr);
  EXPECT_EQ(value_of(seven)->size(), 7U);
}

TEST(WortsmanPoints, SayWhichRateTheGridLacks) {
  const std::vector<LossPoint> points = {{3e-4, 2.0, 4.0}, {3e-3, 2.0, 4.0}};
  EXPECT_EQ(std::get<Undefined>(wortsman_points(points)).reason, "the grid lacks 1e-3");
}

TEST(CurveSensitivity, OfWortsmansSevenUsesTheirOwnMinimum) {
  StudyBuilder study;
  for (const double lr : {3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1}) {
    study.run("base", 2, lr, 1, lr == 1e-2 ? 2.0 : 2.7);
  }
  study.run("base", 2, 1.7e-2, 1, 1.0);  // better than all seven, and not among them
  const auto curves = study.curves();
  const auto seven = curve_sensitivity(curves[0], {"wortsman", Weights::kEqual});
  EXPECT_NEAR(std::get<Spread>(seven.over_seeds).mean, 0.6, 1e-12);
  const auto all = curve_sensitivity(curves[0], {"all", Weights::kEqual});
  EXPECT_NEAR(std::get<Spread>(all.over_seeds).mean, (6 * 1.7 + 1.0) / 8, 1e-12);
}

TEST(CurveSensitivity, IsTheMeanOfSeedsAndNotOfTheMeanCurve) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0}).cell("base", 2, 1e-2, {3.0, 2.0});
  const auto s = curve_sensitivity(study.curves()[0], {"all", Weights::kEqual});
  const auto spread = std::get<Spread>(s.over_seeds);
  EXPECT_DOUBLE_EQ(spread.mean, 0.5);  // the mean curve is flat: 0
  EXPECT_EQ(spread.n, 2U);
}

TEST(CurveSensitivity, IsUndefinedWhileARunIsMissing) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0}).cell("base", 2, 1e-2, {3.0, std::nullopt});
  const auto s = curve_sensitivity(study.curves()[0], {"all", Weights::kEqual});
  EXPECT_NE(value_of(s.per_seed[0].second), nullptr);
  EXPECT_EQ(value_of(s.per_seed[1].second), nullptr);
  const auto why = std::get<Undefined>(s.over_seeds);
  EXPECT_EQ(why.reason, "1 run missing");
  EXPECT_EQ(why.runs, std::vector<std::string>{"base-L2-lr1e-2-s2"});
}

TEST(CurveSensitivity, IsUndefinedForASeedThatWasNotPlannedEverywhere) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0}).cell("base", 2, 1e-2, {3.0});
  const auto s = curve_sensitivity(study.curves()[0], {"all", Weights::kEqual});
  EXPECT_EQ(std::get<Undefined>(s.over_seeds).reason, "not planned at every level");
}

TEST(CurveSensitivity, IsUndefinedWithoutAFiniteInitialLoss) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, kNan, kNan).run("base", 2, 1e-2, 1, 2.0);
  const auto s = curve_sensitivity(study.curves()[0], {"all", Weights::kEqual});
  EXPECT_EQ(std::get<Undefined>(s.over_seeds).reason, "the initial loss is not finite");
}

TEST(CurveSensitivity, ReproducesTheMeasuredTable) {
  const std::vector<Curve> curves = measured_table().curves();
  const double expected[4][2] = {{.53, .56}, {.19, .16}, {.49, .47}, {.11, .15}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto s = curve_sensitivity(curves[i], {"all", Weights::kEqual});
    for (std::size_t seed = 0; seed < 2; ++seed) {
      EXPECT_NEAR(defined(s.per_seed[seed].second).value, expected[i][seed], 0.005)
          << curves[i].arm << " " << to_words(curves[i].stratum) << " seed " << seed + 1;
    }
  }
}

TEST(CurveSensitivity, FollowsTheRegisteredRule) {
  Definitions::LrSensitivity definition;
  EXPECT_EQ(registered_rule(definition), (SensitivityRule{"all", Weights::kEqual}));
  definition.points = "wortsman";
  definition.weights = "log_trapezoid";
  EXPECT_EQ(registered_rule(definition), (SensitivityRule{"wortsman", Weights::kLogTrapezoid}));
}

}  // namespace
}  // namespace sweep
