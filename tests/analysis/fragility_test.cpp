#include "sweep/analysis/fragility.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

/// The control is 0.4 above its best at the upper level, the treatment 0.05: H holds while delta
/// lies in [0.05, 0.4).
StudyBuilder between(double treatment_rise, double control_rise) {
  StudyBuilder study;
  study.prereg().seeds = {1};
  study.cell("base", 2, 1e-2, {2.0}).cell("qknorm", 2, 1e-2, {2.0});
  study.cell("base", 2, 1e-1, {2.0 + control_rise});
  study.cell("qknorm", 2, 1e-1, {2.0 + treatment_rise});
  const Json above = {
      {"quantity", "max_stable_lr"}, {"arm", "qknorm"}, {"is", "above"}, {"than", "base"}};
  Json below = above;
  below["is"] = "below";
  study.prereg().hypotheses["H"] = {
      {"claim", "c"}, {"supported_if", above}, {"contradicted_if", below}};
  return study;
}

Fragility fragility(const StudyBuilder& study) {
  return fragility_of(study.prereg(), study.curves(), {},
                      judge_hypotheses(study.prereg(), study.analysis()));
}

TEST(Fragility, FindsTheIntervalOfDeltaOverWhichAVerdictHolds) {
  const Fragility result = fragility(between(0.1, 0.4));
  ASSERT_EQ(result.intervals.size(), 1U);
  EXPECT_EQ(result.intervals[0].verdict, VerdictKind::kSupported);
  EXPECT_NEAR(*result.intervals[0].low, 0.1, 1e-12);
  EXPECT_NEAR(*result.intervals[0].high, 0.4, 1e-12);
  EXPECT_FALSE(result.intervals[0].robust);  // not at 0.6
}

TEST(Fragility, IsRobustWhenHalfAndTwiceOfDeltaSayTheSame) {
  const Fragility result = fragility(between(0.1, 0.9));
  EXPECT_TRUE(result.intervals[0].robust);
  EXPECT_NEAR(*result.intervals[0].high, 0.9, 1e-12);
  EXPECT_EQ(fragility(between(0.01, 2.0)).intervals[0].low, std::nullopt);
  EXPECT_EQ(fragility(between(0.01, 2.0)).intervals[0].high, std::nullopt);
}

TEST(Fragility, JudgesAgainByEachRuleAlone) {
  const Fragility result = fragility(between(0.1, 0.4));
  const auto verdict = [&](const std::string& name) {
    for (const Rejudgement& other : result.alternatives) {
      if (other.name == name) return to_string(other.verdicts.at(0));
    }
    return "no " + name;
  };
  EXPECT_EQ(verdict("degraded by 0.15"), "supported");
  EXPECT_EQ(verdict("degraded by 0.6"), "inconclusive");
  EXPECT_EQ(verdict("unusable: only nonfinite"), "inconclusive");
  EXPECT_EQ(verdict("unusable: only final_loss_at_least level initial_val_loss minus 0"),
            "inconclusive");
  EXPECT_EQ(verdict("unusable: only degraded by 0.3 of same_arm_and_stratum"), "supported");
}

TEST(Fragility, HasNothingToSayWithoutHypotheses) {
  const StudyBuilder study = measured_table();
  const Fragility result = fragility(study);
  EXPECT_TRUE(result.intervals.empty());
  EXPECT_TRUE(result.alternatives.empty());
}

}  // namespace
}  // namespace sweep
