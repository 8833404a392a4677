#include "sweep/analysis/judge.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

Judgement judgement_of(const StudyBuilder& study, const std::string& arm, double lr,
                       std::uint64_t seed) {
  for (const Curve& curve : study.curves()) {
    for (const Cell& cell : curve.cells) {
      if (curve.arm == arm && cell.x == lr) return find_run(cell, seed)->judgement;
    }
  }
  throw std::runtime_error("no such run");
}

/// A healthy cell at 1e-3 and one run under test at 1e-2.
Judgement judge_one(std::optional<double> loss) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, loss);
  return judgement_of(study, "base", 1e-2, 1);
}

TEST(Judge, NamesEachWayToFail) {
  EXPECT_EQ(judge_one(2.0), (Judgement{RunStatus::kOk, false, false}));
  EXPECT_EQ(judge_one(2.5), (Judgement{RunStatus::kDegraded, false, true}));
  EXPECT_EQ(judge_one(3.3), (Judgement{RunStatus::kCollapsed, true, true}));
  EXPECT_EQ(judge_one(4.2), (Judgement{RunStatus::kBlowup, true, true}));
  EXPECT_EQ(judge_one(kNan), (Judgement{RunStatus::kNonfinite, true, true}));
  EXPECT_EQ(judge_one(std::nullopt), (Judgement{RunStatus::kMissing, std::nullopt, std::nullopt}));
}

TEST(Judge, DegradedStartsAboveDeltaAndCollapsedAtTheFloorLessItsMargin) {
  EXPECT_EQ(judge_one(2.3).status, RunStatus::kOk);  // not above the reference by more than .3
  EXPECT_EQ(judge_one(2.3001).status, RunStatus::kDegraded);
  EXPECT_EQ(judge_one(3.2469).status, RunStatus::kDegraded);
  EXPECT_EQ(judge_one(3.2471).status, RunStatus::kCollapsed);  // 3.347 - .1
  EXPECT_EQ(judge_one(4.17).status, RunStatus::kBlowup);       // at the initial loss
}

TEST(Judge, AsksOnlyTheRegisteredRules) {
  StudyBuilder study;
  study.prereg().definitions.diverged.resize(1);  // non-finite alone
  study.prereg().definitions.unusable.resize(1);  // diverged alone
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 4.5);
  EXPECT_EQ(judgement_of(study, "base", 1e-2, 1), (Judgement{RunStatus::kOk, false, false}));
}

TEST(Judge, ANonFiniteRunIsNonFiniteUnderAnyRules) {
  StudyBuilder study;
  auto& rules = study.prereg().definitions;
  rules.diverged = {rules.diverged[2]};  // collapsed alone: an infinite loss is above any level
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, kNan);
  EXPECT_EQ(judgement_of(study, "base", 1e-2, 1), (Judgement{RunStatus::kNonfinite, true, true}));
}

TEST(Judge, ComparesWithAnyRegisteredLevel) {
  using LossLevel = FailureRule::LossLevel;
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.6);
  const auto diverged_at = [&](LossLevel level, double number) {
    FailureRule rule;
    rule.kind = FailureRule::Kind::kFinalLossAtLeast;
    rule.level = level;
    rule.number = number;
    study.prereg().definitions.diverged = {rule};
    return judgement_of(study, "base", 1e-3, 1).diverged.value();
  };
  EXPECT_TRUE(diverged_at(LossLevel::kBigramFloor, 0));
  EXPECT_FALSE(diverged_at(LossLevel::kUnigramFloor, 0));
  EXPECT_FALSE(diverged_at(LossLevel::kUniformFloor, 0));
  EXPECT_TRUE(diverged_at(LossLevel::kNumber, 2.6));
  EXPECT_FALSE(diverged_at(LossLevel::kNumber, 2.7));
}

TEST(Judge, ComparesTheInitialLossOfTheRunItself) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 3.0, 2.9);
  EXPECT_EQ(judgement_of(study, "base", 1e-2, 1).status, RunStatus::kBlowup);
}

TEST(Judge, TakesTheReferenceFromCompleteCellsOnly) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.4, 2.4}).cell("base", 2, 1e-2, {2.0, std::nullopt});
  EXPECT_EQ(judgement_of(study, "base", 1e-3, 1).status, RunStatus::kOk);
  study.records().back().result = study.records().front().result;  // the cell completes at 2.2
  study.records().back().result->final_val_loss = 2.0;
  EXPECT_EQ(judgement_of(study, "base", 1e-3, 1).status, RunStatus::kDegraded);
}

TEST(Judge, TakesNoReferenceFromACellWithANonFiniteRun) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, kNan}).cell("base", 2, 1e-2, {2.4, 2.4});
  EXPECT_EQ(judgement_of(study, "base", 1e-2, 1).status, RunStatus::kOk);
}

TEST(Judge, LeavesARunUnjudgedWithoutAReference) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, std::nullopt});
  EXPECT_EQ(judgement_of(study, "base", 1e-3, 1),
            (Judgement{RunStatus::kUnjudged, false, std::nullopt}));
  study.cell("base", 2, 1e-2, {3.3, std::nullopt});
  EXPECT_EQ(judgement_of(study, "base", 1e-2, 1), (Judgement{RunStatus::kCollapsed, true, true}));
}

TEST(Judge, ComparesWithItsOwnArmOrWithTheStratum) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("qknorm", 2, 1e-3, 1, 2.5);
  study.run("base", 4, 1e-3, 1, 1.0).run("qknorm", 4, 1e-3, 1, 1.0);
  EXPECT_EQ(judgement_of(study, "qknorm", 1e-3, 1).status, RunStatus::kOk);
  study.prereg().definitions.unusable[1].of = "same_stratum";
  EXPECT_EQ(judgement_of(study, "qknorm", 1e-3, 1).status, RunStatus::kDegraded);
  EXPECT_EQ(judgement_of(study, "base", 1e-3, 1).status, RunStatus::kOk);
}

TEST(CountsOf, AddsUpACell) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0, 2.0, 2.0, 2.0})
      .cell("base", 2, 1e-2, {2.0, 2.5, 3.3, kNan, std::nullopt});
  EXPECT_EQ(counts_of(study.curves()[0].cells[1]), (CellCounts{5, 4, 1, 2, 3}));
}

}  // namespace
}  // namespace sweep
