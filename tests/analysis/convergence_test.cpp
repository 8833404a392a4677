#include "sweep/analysis/convergence.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

using Evals = std::vector<EvalPoint>;

TEST(StepsToLoss, LiesOnTheLineBetweenTwoEvaluations) {
  const Evals evals = {{0, 4.0}, {100, 3.0}, {200, 2.0}, {300, 1.9}};
  EXPECT_EQ(steps_to_loss(evals, 2.5, 1, 300), (StepsToLoss{150, 300}));
  EXPECT_EQ(steps_to_loss(evals, 3.0, 1, 300), (StepsToLoss{100, 300}));
}

TEST(StepsToLoss, IsCensoredWhenTheLossIsNeverReached) {
  const Evals evals = {{0, 4.0}, {100, 3.0}, {200, std::nullopt}};
  EXPECT_EQ(steps_to_loss(evals, 2.5, 0, 200), (StepsToLoss{std::nullopt, 200}));
}

TEST(StepsToLoss, MustNotBounceWithinTheConfirmingEvaluations) {
  const Evals evals = {{0, 4.0}, {100, 2.4}, {200, 2.6}, {300, 2.4}, {400, 2.3}};
  EXPECT_EQ(steps_to_loss(evals, 2.5, 0, 400).steps, 0 + 100 * 1.5 / 1.6);
  EXPECT_EQ(steps_to_loss(evals, 2.5, 1, 400).steps, 200 + 100 * 0.1 / 0.2 * 1.0);
}

TEST(StepsToLoss, NeedsNoConfirmationAfterTheLastEvaluation) {
  const Evals evals = {{0, 4.0}, {100, 3.0}, {200, 2.0}};
  EXPECT_EQ(steps_to_loss(evals, 2.5, 1, 200).steps, 150);
}

TEST(StepsToLoss, StartsAtAnEvaluationAfterOneThatWasNotFinite) {
  const Evals evals = {{0, 4.0}, {100, std::nullopt}, {200, 2.0}};
  EXPECT_EQ(steps_to_loss(evals, 2.5, 1, 200).steps, 200);
}

Definitions::Convergence at_number(double loss) {
  Definitions::Convergence definition;
  definition.number = loss;
  return definition;
}

TEST(ConvergenceTarget, IsANumberACorpusFloorOrAPilotsBest) {
  const auto curves = measured_table().curves();
  EXPECT_EQ(std::get<double>(convergence_target(at_number(2.2), curves[0], {})), 2.2);
  Definitions::Convergence floor;
  floor.level = FailureRule::LossLevel::kBigramFloor;
  floor.minus = 0.1;
  EXPECT_NEAR(std::get<double>(convergence_target(floor, curves[0], {})), 2.382, 1e-12);
  Definitions::Convergence pilot;
  pilot.pilot_arm = "base";
  pilot.best_final_plus = 0.05;
  const std::vector<PilotBest> best = {{"base", {{curves[0].stratum, 2.0}}}};
  EXPECT_EQ(std::get<double>(convergence_target(pilot, curves[0], best)), 2.05);
  EXPECT_EQ(std::get<Undefined>(convergence_target(pilot, curves[2], best)).reason,
            "the pilot has no complete cell in this stratum");
}

TEST(Convergence, IsAFindingOfEveryRun) {
  StudyBuilder study;
  study.run("base", 2, 1e-2, 1, 2.0).run("qknorm", 2, 1e-2, 1, std::nullopt);
  study.prereg().definitions.convergence = at_number(2.5);
  study.evals()["base-L2-lr1e-2-s1"] = {{0, 4.0}, {500, 3.0}, {1000, 2.0}};
  const Analysis analysis = study.analysis();
  ASSERT_EQ(analysis.convergence.size(), 2U);
  const auto& base = analysis.convergence[0].points[0].per_seed[0].second;
  EXPECT_EQ(std::get<StepsToLoss>(base), (StepsToLoss{750, 1000}));
  const auto& qknorm = analysis.convergence[1].points[0].per_seed[0].second;
  EXPECT_EQ(std::get<Undefined>(qknorm).runs, std::vector<std::string>{"qknorm-L2-lr1e-2-s1"});
}

}  // namespace
}  // namespace sweep
