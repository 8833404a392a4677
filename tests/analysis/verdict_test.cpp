#include "sweep/analysis/verdict.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

Json parsed(const std::string& text) { return Json::parse(text); }

/// A hypothesis over the study's findings; rules as the file has them, as JSON.
StudyBuilder& add(StudyBuilder& study, const std::string& id, const std::string& supported,
                  const std::string& contradicted) {
  study.prereg().hypotheses[id] = {{"claim", "the claim of " + id},
                                   {"supported_if", parsed(supported)},
                                   {"contradicted_if", parsed(contradicted)}};
  return study;
}

StudyBuilder two_seeds() {
  StudyBuilder study = measured_table();
  study.prereg().seeds = {1, 2};
  study.prereg().definitions.ranges = {{"low", 3e-3, 3e-3}, {"high", 1e-1, 3e-1}};
  study.prereg().definitions.gap = {"final_val_loss", "base", "qknorm", "range", "seed"};
  return study;
}

Verdict judged(const StudyBuilder& study) {
  const auto verdicts = judge_hypotheses(study.prereg(), study.analysis());
  EXPECT_EQ(verdicts.size(), 1U);
  return verdicts.front();
}

const std::string kAbove =
    R"({"quantity": "max_stable_lr", "arm": "qknorm", "is": "above", "than": "base"})";
const std::string kBelow =
    R"({"quantity": "max_stable_lr", "arm": "qknorm", "is": "below", "than": "base"})";
const std::string kLessSensitive =
    R"({"quantity": "lr_sensitivity", "arm": "qknorm", "is": "below", "than": "base"})";

void set_loss(StudyBuilder& study, const std::string& id, std::optional<double> loss) {
  for (RunRecord& record : study.records()) {
    if (record.spec.id != id) continue;
    if (loss) {
      record.result->final_val_loss = *loss;
    } else {
      record.result.reset();
    }
  }
}

TEST(Verdict, SupportsWhenEveryPartHoldsInEveryStratumAndSeed) {
  StudyBuilder study = two_seeds();
  add(study, "H2", R"({"all": [)" + kAbove + "," + kLessSensitive + "]}", kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kSupported) << verdict.reason;
  EXPECT_EQ(verdict.claim, "the claim of H2");
  ASSERT_EQ(verdict.supported.parts.size(), 2U);
  const Evidence& depth2 = verdict.supported.parts[0].parts[0];
  EXPECT_EQ(depth2.what, "n_layer 2");
  EXPECT_EQ(depth2.parts[0].numbers, "qknorm [1e-1, 3e-1), base [1e-2, 3e-2)");
  EXPECT_EQ(depth2.parts[0].runs.size(), 10U);
  EXPECT_EQ(verdict.settle, "");
}

TEST(Verdict, ContradictsWithTheNumbersThatDidIt) {
  StudyBuilder study = two_seeds();
  add(study, "H", kBelow, R"({"quantity": "gap", "range": "high", "at_least": 0.3})");
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kContradicted);
  EXPECT_EQ(verdict.reason,
            "contradicted_if holds: gap over high at least 0.3: n_layer 2: seed 1: +0.615");
}

TEST(Verdict, IsNotSupportedWhenNeitherRuleHoldsOnCompleteData) {
  StudyBuilder study = two_seeds();
  add(study, "H", R"({"quantity": "gap", "range": "low", "at_least": 0.3})", kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kNotSupported);
  EXPECT_EQ(verdict.reason,
            "neither rule holds; supported_if fails: gap over low at least 0.3: "
            "n_layer 2: seed 1: +0.017");
}

TEST(Verdict, IsARegistrationConflictWhenBothRulesHold) {
  StudyBuilder study = two_seeds();
  add(study, "H", kAbove, kLessSensitive);
  EXPECT_EQ(judged(study).kind, VerdictKind::kConflict);
}

TEST(Verdict, IsInconclusiveWhileARunIsMissingThatCouldDecide) {
  StudyBuilder study = two_seeds();
  set_loss(study, "base-L4-lr3e-1-s2", std::nullopt);
  add(study, "H", kLessSensitive, kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.reason, "supported_if cannot be decided: 1 run missing");
  EXPECT_EQ(verdict.settle, "finish the runs that are missing");
}

TEST(Verdict, DoesNotWaitForARunThatCannotDecide) {
  StudyBuilder study = two_seeds();
  set_loss(study, "base-L4-lr3e-1-s2", std::nullopt);  // base failed below it already
  add(study, "H", kAbove, kBelow);
  EXPECT_EQ(judged(study).kind, VerdictKind::kSupported);
}

TEST(Verdict, IsInconclusiveWhenBothArmsAreStableToTheTop) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.cell("base", 2, 1e-1, {2.0}).cell("qknorm", 2, 1e-1, {2.0});
  study.cell("base", 2, 3e-1, {2.1}).cell("qknorm", 2, 3e-1, {2.1});
  add(study, "H", kAbove, kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.supported.unknown, "both are censored at the grid's top (≥ 3e-1, ≥ 3e-1)");
  EXPECT_EQ(verdict.settle, "extend the grid to 1");
}

TEST(Verdict, IsInconclusiveOnATieOfTheGrid) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  for (const char* arm : {"base", "qknorm"}) {
    study.cell(arm, 2, 1e-2, {2.0}).cell(arm, 2, 1e-1, {3.0}).cell(arm, 2, 3e-1, {3.2});
  }
  add(study, "H", kAbove, kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.supported.unknown,
            "a tie at the grid's resolution: [1e-2, 1e-1) and [1e-2, 1e-1)");
  EXPECT_EQ(verdict.settle, "levels between 1e-2 and 1e-1");
}

TEST(Verdict, CountsAGainOfOneStepAndACensoredArmAsAbove) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.cell("base", 2, 1e-1, {2.0}).cell("qknorm", 2, 1e-1, {2.0});
  study.cell("base", 2, 3e-1, {3.0}).cell("qknorm", 2, 3e-1, {2.1});
  add(study, "H", kAbove, kBelow);
  EXPECT_EQ(judged(study).kind, VerdictKind::kSupported);
}

TEST(Verdict, CannotRankAnArmWhoseBestLevelFails) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.cell("base", 2, 1e-1, {kNan}).cell("qknorm", 2, 1e-1, {2.0});
  study.cell("base", 2, 3e-1, {kNan}).cell("qknorm", 2, 3e-1, {2.1});
  add(study, "H", kAbove, kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.supported.unknown, "the arm's best level is itself a failure");
}

TEST(Quorum, CountsStrataAfterSeeds) {
  StudyBuilder study = two_seeds();
  set_loss(study, "qknorm-L4-lr1e-1-s2", 3.2);  // qknorm now fails at 1e-1 at depth 4, seed 2
  set_loss(study, "qknorm-L4-lr3e-2-s2", 3.2);
  add(study, "H", kAbove, kBelow);
  EXPECT_EQ(judged(study).supported.truth, false);
  Json relaxed = parsed(kAbove);
  relaxed["strata"] = {{"at_least", 1}};
  add(study, "H", relaxed.dump(), kBelow);
  EXPECT_EQ(judged(study).supported.truth, true);
  relaxed["strata"] = "all";
  relaxed["seeds"] = {{"at_least", 1}};
  add(study, "H", relaxed.dump(), kBelow);
  EXPECT_EQ(judged(study).supported.truth, true);
}

TEST(Seeds, BeyondThoseRequiredAreNotScored) {
  StudyBuilder study = two_seeds();
  set_loss(study, "qknorm-L4-lr3e-2-s2", 3.2);
  study.prereg().analysis = {{"seeds_required", 1}};
  add(study, "H", kAbove, kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.supported.parts[0].parts.size(), 1U);
  EXPECT_EQ(verdict.kind, VerdictKind::kSupported);
}

TEST(Negation, KeepsTheUnknownUnknown) {
  StudyBuilder study = two_seeds();
  add(study, "H", R"({"not": )" + kBelow + "}", R"({"not": )" + kAbove + "}");
  EXPECT_EQ(judged(study).supported.truth, true);
  EXPECT_EQ(judged(study).contradicted.truth, false);
  set_loss(study, "base-L2-lr3e-2-s1", std::nullopt);
  EXPECT_EQ(judged(study).supported.truth, true);  // seed 2 decides: not below
  set_loss(study, "base-L2-lr3e-2-s2", std::nullopt);
  set_loss(study, "base-L4-lr1e-1-s1", std::nullopt);
  set_loss(study, "base-L4-lr1e-1-s2", std::nullopt);
  EXPECT_EQ(judged(study).supported.truth, std::nullopt);
}

TEST(GapCriterion, CanDemandEveryLevelOfARange) {
  StudyBuilder study = two_seeds();
  study.prereg().definitions.ranges = {{"low", 3e-3, 3e-2}};
  // At depth 2: +0.017, -0.333, +0.124 for seed 1: the mean lies within, 1e-2 does not.
  const std::string within = R"({"quantity": "gap", "range": "low", "between": [-0.2, 0.5]})";
  add(study, "H", within, kBelow);
  EXPECT_EQ(judged(study).supported.truth, true);
  study.prereg().definitions.gap->average = "none";
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.supported.truth, false);
  EXPECT_EQ(verdict.supported.parts[0].parts[0].numbers,
            "+0.017 at 3e-3; -0.333 at 1e-2; +0.124 at 3e-2");
}

const std::string kFalls =
    R"({"quantity": "necessity_lr", "across": "model.n_layer", "last_over_first": {"at_most": 0.34}})";
const std::string kRises =
    R"({"quantity": "necessity_lr", "across": "model.n_layer", "last_over_first": {"at_least": 1.5}})";

TEST(Across, ComparesWithinOneSeedByUpperEnds) {
  StudyBuilder study = two_seeds();
  add(study, "H3", kFalls, kRises);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kContradicted);
  const Evidence& seed = verdict.contradicted.parts[0].parts[0];
  EXPECT_EQ(verdict.contradicted.parts[0].what, "n_layer 2 to n_layer 4");
  EXPECT_EQ(seed.numbers, "(3e-2, 1e-1] over (1e-2, 3e-2] = 3.333");
}

/// Necessity at depth 2 in (1e-2, 1e-1], at depth 4 as the losses of base say.
StudyBuilder depths(double base_at_top, double base_below) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  for (const int depth : {2, 4}) {
    study.cell("qknorm", depth, 1e-2, {2.0}).cell("qknorm", depth, 1e-1, {2.0});
    study.cell("base", depth, 1e-2, {depth == 2 ? 2.0 : base_below});
    study.cell("base", depth, 1e-1, {depth == 2 ? 3.0 : base_at_top});
  }
  return study;
}

TEST(Across, DecidesACensoredRatioWhereItsBoundAllows) {
  StudyBuilder study = depths(2.1, 2.0);  // never needed at depth 4: above 1e-1
  add(study, "H3", kFalls, kRises);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.supported.truth, false);            // at least 1
  EXPECT_EQ(verdict.contradicted.truth, std::nullopt);  // 1.5 is not known
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.settle, "a grid that reaches higher");
}

TEST(Across, NeedsMoreThanOneLevel) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.cell("base", 2, 1e-2, {2.0}).cell("qknorm", 2, 1e-2, {2.0});
  add(study, "H3", kFalls, kRises);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.supported.unknown, "only one level to compare across");
}

/// Four depths at which necessity falls a step each, for three seeds.
StudyBuilder falling() {
  StudyBuilder study;
  study.prereg().seeds = {1, 2, 3};
  const std::vector<double> rates = {1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
  for (int i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < rates.size(); ++j) {
      const double loss = j + static_cast<std::size_t>(i) >= 4 ? 3.0 : 2.0;
      study.cell("base", 2 << i, rates[j], {loss, loss, loss});
      study.cell("qknorm", 2 << i, rates[j], {2.0, 2.0, 2.0});
    }
  }
  return study;
}

const std::string kPage =
    R"({"test": "page_l", "quantity": "necessity_lr", "across": "model.n_layer",
        "trend": "falling", "p_at_most": 0.05})";

TEST(TestCriterion, FindsATrendAndAdjustsItForTheFamily) {
  StudyBuilder study = falling();
  add(study, "H3", kPage, kRises);
  const Verdict alone = judged(study);
  EXPECT_EQ(alone.kind, VerdictKind::kSupported) << alone.reason;
  ASSERT_EQ(alone.tests.size(), 1U);
  EXPECT_NEAR(std::get<ExactTest>(alone.tests[0].outcome).p, 1 / 13824.0, 1e-12);
  EXPECT_NEAR(alone.tests[0].adjusted_p, 1 / 13824.0, 1e-12);

  add(study, "H1", kAbove, kBelow);  // two hypotheses: the family counts both
  const auto verdicts = judge_hypotheses(study.prereg(), study.analysis());
  EXPECT_NEAR(verdicts[0].tests[0].adjusted_p, 2 / 13824.0, 1e-12);
  study.prereg().analysis = {{"correction", {{"method", "none"}}}};
  EXPECT_NEAR(judge_hypotheses(study.prereg(), study.analysis())[0].tests[0].adjusted_p,
              1 / 13824.0, 1e-12);
}

TEST(TestCriterion, IsDescriptiveOnlyWhereItCannotReachItsAlpha) {
  StudyBuilder study = two_seeds();
  add(study, "H3", kPage, kRises);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.supported.truth, std::nullopt);
  EXPECT_EQ(verdict.supported.unknown,
            "descriptive only: with these ties and this n no p below 0.25 was possible");
}

TEST(TestCriterion, IsUnknownWithABlockThatCannotBeRanked) {
  StudyBuilder study = falling();
  for (RunRecord& record : study.records()) {
    if (record.spec.id == "base-L8-lr1e-2-s2") record.result.reset();
  }
  add(study, "H3", kPage, kRises);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.supported.unknown, "seed 2: 1 of 4 values cannot be ranked");
}

TEST(ConvergenceCriterion, ComparesAtEachArmsBestLevel) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.prereg().definitions.convergence.emplace();
  study.prereg().definitions.convergence->number = 2.5;
  study.run("base", 2, 1e-2, 1, 2.0).run("qknorm", 2, 1e-2, 1, 2.1);
  study.evals()["base-L2-lr1e-2-s1"] = {{0, 4.0}, {500, 3.0}, {1000, 2.0}};
  study.evals()["qknorm-L2-lr1e-2-s1"] = {{0, 4.0}, {500, 2.4}, {1000, 2.1}};
  const auto faster = [](const std::string& at) {
    return R"({"quantity": "convergence", "arm": "qknorm", "is": "below", "than": "base", "at": ")" +
           at + "\"}";
  };
  add(study, "H", faster("arm_best_lr"), kBelow);
  const Verdict verdict = judged(study);
  EXPECT_EQ(verdict.supported.truth, true);
  EXPECT_EQ(verdict.supported.parts[0].parts[0].numbers, "qknorm 469, base 750");
  study.evals()["base-L2-lr1e-2-s1"].back().loss = 2.6;
  study.evals()["qknorm-L2-lr1e-2-s1"] = study.evals()["base-L2-lr1e-2-s1"];
  add(study, "H", faster("same_lr"), kBelow);
  EXPECT_EQ(judged(study).supported.truth, std::nullopt);  // both censored: a tie
}

}  // namespace
}  // namespace sweep
