#include "sweep/analysis/rehearsal.h"

#include <gmock/gmock.h>

#include "analysis/rehearsal_builder.h"

namespace sweep {
namespace {

TEST(Simulation, LossRisesToThePlateauBeyondTheBreak) {
  LossShape shape{2.0, 1e-2, 0.2, 0.1, 3e-2, 0.5, 3.0};
  EXPECT_DOUBLE_EQ(mean_loss(shape, 1e-2), 2.0);
  EXPECT_DOUBLE_EQ(mean_loss(shape, 1e-3), 2.2);
  EXPECT_LT(mean_loss(shape, 3e-2), 2.1);
  EXPECT_GT(mean_loss(shape, 5e-2), 2.3);
  EXPECT_DOUBLE_EQ(mean_loss(shape, 3e-1), 3.0);
}

TEST(Simulation, EqualSetsAreEqualAndOthersDiffer) {
  const RehearsalCase study = study_case();
  const World world = expected_world(study.scene.assumed, 1);
  EXPECT_EQ(simulate(study.scene, world, 7, 3), simulate(study.scene, world, 7, 3));
  EXPECT_NE(simulate(study.scene, world, 7, 3), simulate(study.scene, world, 7, 4));
  EXPECT_NE(simulate(study.scene, world, 7, 3), simulate(study.scene, world, 8, 3));
}

TEST(Simulation, RecordsGroupToTheCurvesThatTheyCameFrom) {
  const RehearsalCase study = study_case();
  const auto curves = simulate(study.scene, expected_world(study.scene.assumed, 1), 1, 0);
  const auto records = with_results(records_of(study.plan), curves);
  ASSERT_EQ(records.size(), 312U);
  const auto floors = stated_floors(study.plan, study.scene.assumed.floors);
  EXPECT_EQ(group(study.prereg, records, floors, evals_of(series_of(curves))), curves);
}

TEST(Simulation, EvaluationsLeadFromTheInitialToTheFinalLoss) {
  const RehearsalCase study = study_case();
  const auto curves = simulate(study.scene, expected_world(study.scene.assumed, 1), 1, 0);
  const CellRun& run = curves.front().cells.front().runs.front();
  ASSERT_EQ(run.evals.size(), 41U);
  EXPECT_EQ(run.evals.front().step, 0);
  EXPECT_DOUBLE_EQ(*run.evals.front().loss, study.scene.assumed.initial_loss);
  EXPECT_EQ(run.evals.back().step, 2000);
  EXPECT_DOUBLE_EQ(*run.evals.back().loss, *run.losses->final_loss);
}

TEST(Rehearsal, EachWorldMovesTheVerdictsItsWay) {
  const RehearsalCase study = study_case();
  const Rehearsal rehearsal = rehearse(study.prereg, study.scene, 8, 1);
  ASSERT_EQ(rehearsal.worlds.size(), 4U);
  const auto share = [&](std::size_t world, std::size_t hypothesis, VerdictKind kind) {
    return rehearsal.worlds[world].hypotheses[hypothesis].of(kind);
  };
  for (std::size_t hypothesis = 0; hypothesis < 3; ++hypothesis) {
    EXPECT_EQ(share(0, hypothesis, VerdictKind::kSupported), 0U) << hypothesis;
    EXPECT_GE(share(1, hypothesis, VerdictKind::kSupported), 6U) << hypothesis;
    EXPECT_EQ(share(2, hypothesis, VerdictKind::kSupported), 0U) << hypothesis;
  }
  EXPECT_EQ(share(0, 0, VerdictKind::kContradicted), 8U);
  EXPECT_GE(share(2, 1, VerdictKind::kContradicted), 6U);
}

TEST(Rehearsal, FindsALargeEffectAndNotATinyOne) {
  const RehearsalCase study = study_case();
  const Rehearsal rehearsal = rehearse(study.prereg, study.scene, 16, 1);
  ASSERT_EQ(rehearsal.smallest.size(), 3U);
  ASSERT_TRUE(rehearsal.smallest[1].world.has_value());
  EXPECT_GE(rehearsal.smallest[1].share, kFoundOften);
  EXPECT_GT(rehearsal.smallest[1].world->shift, 0);
}

}  // namespace
}  // namespace sweep
