#include <gmock/gmock.h>

#include "prereg/sample.h"

namespace sweep {
namespace {

using testing::ElementsAre;

using Kind = FailureRule::Kind;
using LossLevel = FailureRule::LossLevel;

Prereg with_definitions(const std::string& text) {
  return parsed(kSample + "definitions: {" + text + "}\n");
}

std::vector<std::string> problems_of_definitions(const std::string& text) {
  return problems_of(kSample + "definitions: {" + text + "}\n");
}

/// Problems of one criterion, standing in line 13.
std::vector<std::string> problems_of_criterion(const std::string& text) {
  return problems_of(kSample +
                     "definitions: {ranges: {low: [1e-3, 1e-2]}, gap: {minuend: base, "
                     "subtrahend: qk}}\n" +
                     "hypotheses:\n  H1: {supported_if: " + text +
                     ", claim: c, contradicted_if: {quantity: gap, at_most: 0}}\n");
}

TEST(Definitions, HaveDefaults) {
  EXPECT_EQ(to_text(to_json(parsed(kSample).definitions)), R"({
  "ranges": null,
  "final_val_loss": {
    "when": "last_iter",
    "nonfinite_as": "initial_val_loss",
    "cap": "initial_val_loss"
  },
  "diverged": {
    "any": [
      {
        "rule": "nonfinite"
      },
      {
        "rule": "final_loss_at_least",
        "level": "initial_val_loss",
        "minus": 0.0
      },
      {
        "rule": "final_loss_at_least",
        "level": "unigram_floor",
        "minus": 0.1
      }
    ]
  },
  "unusable": {
    "any": [
      {
        "rule": "diverged"
      },
      {
        "rule": "degraded",
        "by": 0.3,
        "reference": "best_seed_mean",
        "of": "same_arm_and_stratum"
      }
    ]
  },
  "max_stable_lr": {
    "failure": "unusable",
    "scan": "upward_from_arm_best",
    "contiguous": true,
    "per": "seed"
  },
  "lr_sensitivity": {
    "points": "all",
    "weights": "equal",
    "best": "min_capped",
    "per": "seed"
  },
  "necessity_lr": {
    "control": "unusable",
    "treatment": "usable",
    "scan": "upward_from_control_best",
    "persistent": true,
    "per": "seed"
  },
  "gap": null,
  "convergence": null
}
)");
}

TEST(Definitions, TakeRulesByName) {
  const Definitions d = with_definitions(
                            "diverged: {any: [{rule: final_loss_at_least, level: 3.5}]},"
                            "unusable: {any: [{rule: nonfinite}, {rule: final_loss_at_least,"
                            " level: bigram_floor, minus: 0.2},"
                            " {rule: degraded, by: 0.5, of: same_stratum}]}")
                            .definitions;
  ASSERT_EQ(d.diverged.size(), 1U);
  EXPECT_EQ(d.diverged[0].kind, Kind::kFinalLossAtLeast);
  EXPECT_EQ(d.diverged[0].level, LossLevel::kNumber);
  EXPECT_EQ(d.diverged[0].number, 3.5);
  ASSERT_EQ(d.unusable.size(), 3U);
  EXPECT_EQ(d.unusable[0].kind, Kind::kNonfinite);
  EXPECT_EQ(d.unusable[1].level, LossLevel::kBigramFloor);
  EXPECT_EQ(d.unusable[1].minus, 0.2);
  EXPECT_EQ(d.unusable[2].by, 0.5);
  EXPECT_EQ(d.unusable[2].of, "same_stratum");
}

TEST(Definitions, TakeEveryChoice) {
  const Definitions d =
      with_definitions(
          "max_stable_lr: {failure: diverged, contiguous: false}, lr_sensitivity: {points: "
          "wortsman, weights: log_trapezoid}, convergence: {val_loss: {level: bigram_floor, "
          "minus: 0.1}, confirm_evals: 0, compare_at: [same_lr]}")
          .definitions;
  EXPECT_EQ(d.max_stable_lr.failure, "diverged");
  EXPECT_FALSE(d.max_stable_lr.contiguous);
  EXPECT_EQ(d.lr_sensitivity.points, "wortsman");
  EXPECT_EQ(d.lr_sensitivity.weights, "log_trapezoid");
  ASSERT_TRUE(d.convergence);
  EXPECT_EQ(d.convergence->level, LossLevel::kBigramFloor);
  EXPECT_EQ(d.convergence->minus, 0.1);
  EXPECT_EQ(d.convergence->confirm_evals, 0);
  EXPECT_THAT(d.convergence->compare_at, ElementsAre("same_lr"));
  const Definitions worse =
      with_definitions("necessity_lr: {control: {worse_by: 0.1}}").definitions;
  EXPECT_EQ(worse.necessity_lr.control, "worse_by");
  EXPECT_EQ(worse.necessity_lr.worse_by, 0.1);
}

TEST(Definitions, ReportWhatDoesNotFit) {
  EXPECT_THAT(problems_of_definitions("divergd: {any: []}"),
              ElementsAre("11:15 definitions.divergd: no such key; did you mean 'diverged'?"));
  EXPECT_THAT(problems_of_definitions("diverged: {any: [{rule: degraded, by: 1}]}"),
              ElementsAre("11:39 definitions.diverged.any.rule: must be one of nonfinite, "
                          "final_loss_at_least; 'degraded' is not"));
  EXPECT_THAT(problems_of_definitions("unusable: {any: [{rule: degraded, bye: 1}]}"),
              ElementsAre("11:32 definitions.unusable.any: 'by' is missing",
                          "11:49 definitions.unusable.any.bye: no such key; did you mean 'by'?"));
  EXPECT_THAT(problems_of_definitions("unusable: {any: [{by: 1}]}"),
              ElementsAre("11:32 definitions.unusable.any: 'rule' is missing"));
  EXPECT_THAT(
      problems_of_definitions("ranges: {low: [1e-2, 1e-3]}"),
      ElementsAre("11:29 definitions.ranges.low: must be two numbers, the smaller one first"));
  EXPECT_THAT(
      problems_of_definitions(
          "gap: {of: final_val_loss, minuend: bas, subtrahend: qk, average: range, per: seed}"),
      ElementsAre("11:50 definitions.gap.minuend: must be one of base, qk; 'bas' is not, "
                  "did you mean 'base'?"));
}

TEST(Hypotheses, KeepOneOrderOfKeysAndNumbersAsNumbers) {
  const Prereg p = parsed(kSample +
                          "definitions: {gap: {minuend: base, subtrahend: qk}}\n"
                          "hypotheses:\n"
                          "  H2: {contradicted_if: {not: {at_most: 1, quantity: gap}}, claim: b,\n"
                          "       supported_if: {any: [{seeds: {at_least: 1}, between: [0, 1],\n"
                          "                            quantity: gap}]}}\n");
  EXPECT_EQ(p.hypotheses.dump(),
            R"({"H2":{"claim":"b","supported_if":{"any":[{"quantity":"gap","between":[0.0,1.0],)"
            R"("seeds":{"at_least":1}}]},"contradicted_if":{"not":{"quantity":"gap",)"
            R"("at_most":1.0}}}})");
}

TEST(Hypotheses, ReportWhatACriterionLacks) {
  EXPECT_THAT(problems_of_criterion("{quantity: gap}"),
              ElementsAre("13:22 hypotheses.H1.supported_if: has no comparison: it must have one "
                          "of is, between, at_least, at_most, last_over_first, p_at_most"));
  EXPECT_THAT(
      problems_of_criterion("{quantity: gap, at_least: 1, at_most: 2}"),
      ElementsAre("13:22 hypotheses.H1.supported_if: has more than one comparison: it must "
                  "have one of is, between, at_least, at_most, last_over_first, p_at_most"));
  EXPECT_THAT(problems_of_criterion("{quantity: max_stable_lr, arm: qk, is: above}"),
              ElementsAre("13:22 hypotheses.H1.supported_if: 'is' needs 'than' beside it"));
  EXPECT_THAT(problems_of_criterion("{at_least: 1}"),
              ElementsAre("13:22 hypotheses.H1.supported_if: 'quantity' is missing"));
  EXPECT_THAT(problems_of_criterion("{all: [{quantity: gap, at_least: 1}], any: []}"),
              ElementsAre("13:60 hypotheses.H1.supported_if.any: no such key; known here: all"));
}

TEST(Hypotheses, MayNameOnlyWhatTheFileHas) {
  EXPECT_THAT(
      problems_of_criterion("{quantity: gap, range: lo, at_least: 1}"),
      ElementsAre("13:45 hypotheses.H1.supported_if.range: must be one of low; 'lo' is not, "
                  "did you mean 'low'?"));
  EXPECT_THAT(
      problems_of_criterion("{quantity: gap, arm: kq, is: above, than: base}"),
      ElementsAre("13:43 hypotheses.H1.supported_if.arm: must be one of base, qk; 'kq' is not, "
                  "did you mean 'qk'?"));
  EXPECT_THAT(
      problems_of(
          kSample +
          "hypotheses: {H1: {claim: c, supported_if: {quantity: gap, range: low, at_least: 1},"
          " contradicted_if: {quantity: necessity_lr, at_most: 0}}}\n"),
      ElementsAre("11:66 hypotheses.H1.supported_if.range: names something that "
                  "definitions.ranges does not have"));
}

TEST(Analysis, ChecksItsNamesAndNumbers) {
  EXPECT_THAT(problems_of(kSample + "analysis: {tests: exact, seeds_required: 2}\n"),
              ElementsAre("11:42 analysis.seeds_required: must be at most 1, not 2"));
  EXPECT_THAT(problems_of(kSample + "analysis: {correction: {method: holm, family: [H1]}}\n"),
              ElementsAre("11:48 analysis.correction.family: names something that hypotheses does "
                          "not have"));
}

TEST(Pilot, MustHaveOtherSeeds) {
  EXPECT_THAT(
      problems_of(kSample + "pilot: {sweep: p.sweep, seeds: [1, 901]}\n"),
      ElementsAre("11:33 pilot.seeds: 1 is a seed of this sweep: a pilot must have others"));
}

TEST(Robustness, MayRepeatOnlyCellsOfTheGrid) {
  EXPECT_THAT(
      problems_of(kSample +
                  "robustness:\n  subset: {seed: [2], train.learning_rate: [1e-3, 3e-3]}\n"
                  "  change: [{train.warmup: 4}, {train.beta2: 7}]\n"),
      ElementsAre("12:19 robustness.subset.seed: 2 is no seed of the grid",
                  "12:51 robustness.subset.train.learning_rate: 3e-3 is no level of the grid",
                  "13:13 train.warmup: no such field; did you mean 'train.warmup_iters'?",
                  "13:45 train.beta2: must be at most 0.99999999, not 7"));
}

TEST(Robustness, ChangesOnlyWhatArmsAndGridHoldFixed) {
  EXPECT_THAT(
      problems_of(kSample + "robustness:\n  subset: {seed: [1]}\n"
                            "  change: [{train.learning_rate: 0.1, model.qk_norm: l2_scalar}]\n"),
      testing::Each(testing::HasSubstr("is varied by arms or grid already")));
}

}  // namespace
}  // namespace sweep
