#include "sweep/analysis/gap.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

double value(const Finding<double>& finding) { return std::get<double>(finding); }

TEST(Gap, SubtractsRunsOfTheSameSeed) {
  const Analysis analysis = measured_table().analysis();
  ASSERT_EQ(analysis.gaps.size(), 2U);
  const GapPoint& point = analysis.gaps[0].points[1];
  EXPECT_EQ(point.x, 1e-2);
  EXPECT_NEAR(value(point.per_seed[0].second), 2.042 - 2.375, 1e-12);
  EXPECT_NEAR(value(point.per_seed[1].second), 2.059 - 2.092, 1e-12);
  EXPECT_NEAR(std::get<Spread>(point.over_seeds).mean, -0.183, 1e-12);
}

TEST(Gap, TakesTheInitialLossForARunThatFailed) {
  StudyBuilder study;
  study.run("base", 2, 1e-1, 1, kNan, 4.0).run("qknorm", 2, 1e-1, 1, 2.5, 4.0);
  study.run("base", 2, 3e-1, 1, 9.0, 4.0).run("qknorm", 2, 3e-1, 1, 2.5, 4.0);
  const Analysis analysis = study.analysis();
  EXPECT_EQ(value(analysis.gaps[0].points[0].per_seed[0].second), 1.5);
  EXPECT_EQ(value(analysis.gaps[0].points[1].per_seed[0].second), 1.5);
}

TEST(Gap, IsUndefinedForAnIncompletePairAndNamesIt) {
  StudyBuilder study;
  study.run("base", 2, 1e-1, 1, std::nullopt).run("qknorm", 2, 1e-1, 1, 2.5);
  const Analysis analysis = study.analysis();
  const auto& why = std::get<Undefined>(analysis.gaps[0].points[0].per_seed[0].second);
  EXPECT_EQ(why.runs, std::vector<std::string>{"base-L2-lr1e-1-s1"});
  EXPECT_EQ(value_of(analysis.gaps[0].points[0].over_seeds), nullptr);
}

TEST(Gap, FollowsTheRegisteredDirection) {
  StudyBuilder study = measured_table();
  study.prereg().definitions.gap = {"final_val_loss", "qknorm", "base", "range", "seed"};
  const Analysis analysis = study.analysis();
  EXPECT_NEAR(value(analysis.gaps[0].points[1].per_seed[0].second), 2.375 - 2.042, 1e-12);
}

TEST(GapInRange, AveragesTheLevelsInsideBothEndsIncluded) {
  const Analysis analysis = measured_table().analysis();
  const auto gap = std::get<RangeGap>(gap_in(analysis.gaps[0], 1, 3e-3, 1e-2));
  EXPECT_EQ(gap.levels, (std::vector<double>{3e-3, 1e-2}));
  EXPECT_NEAR(gap.mean, ((2.190 - 2.173) + (2.042 - 2.375)) / 2, 1e-12);
  EXPECT_EQ(std::get<Undefined>(gap_in(analysis.gaps[0], 1, 4e-3, 9e-3)).reason,
            "no pair in the range");
}

}  // namespace
}  // namespace sweep
