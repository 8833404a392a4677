#include "sweep/analysis/effects.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

StudyBuilder with_ranges() {
  StudyBuilder study = measured_table();
  study.prereg().definitions.ranges = {{"low", 3e-3, 3e-3}, {"high", 1e-1, 3e-1}};
  return study;
}

TEST(RangeEffects, AverageEachSeedOverTheRangeThenOverSeeds) {
  const StudyBuilder study = with_ranges();
  const auto effects = range_effects(study.prereg(), study.analysis());
  ASSERT_EQ(effects.size(), 4U);
  EXPECT_EQ(effects[1].range.name, "high");
  const auto& spread = std::get<Spread>(effects[1].gap);
  const double seed1 = (2.876 - 2.397 + 3.240 - 2.489) / 2;
  const double seed2 = (2.895 - 2.368 + 3.378 - 2.418) / 2;
  EXPECT_NEAR(spread.mean, (seed1 + seed2) / 2, 1e-12);
  ASSERT_TRUE(effects[1].sign_flip);
  EXPECT_EQ(effects[1].sign_flip->p, 0.5);
  EXPECT_EQ(effects[1].sign_flip->minimum_p, 0.5);
  EXPECT_NEAR(*effects[1].half_width_95, 8.985 * *spread.sd, 1e-3 * *spread.sd);
  EXPECT_FALSE(effects[1].equivalence);  // no criterion sets margins
}

TEST(RangeEffects, TestEquivalenceWithinTheMarginsOfACriterion) {
  StudyBuilder study = with_ranges();
  study.prereg().hypotheses["H1"] = {
      {"claim", "c"},
      {"supported_if",
       {{"all", {{{"quantity", "gap"}, {"range", "low"}, {"between", {-0.1, 0.05}}}}}}},
      {"contradicted_if", {{"quantity", "gap"}, {"range", "low"}, {"at_least", 1}}}};
  const auto effects = range_effects(study.prereg(), study.analysis());
  ASSERT_TRUE(effects[0].equivalence);
  EXPECT_EQ(effects[0].equivalence->margins, (Margins{-0.1, 0.05}));
  EXPECT_FALSE(effects[1].equivalence);
}

TEST(RangeEffects, AreUndefinedWhileAPairIsIncomplete) {
  StudyBuilder study = with_ranges();
  study.records().front().result.reset();  // base, depth 2, 3e-3, seed 1
  const auto effects = range_effects(study.prereg(), study.analysis());
  EXPECT_EQ(std::get<Undefined>(effects[0].gap).runs.size(), 1U);
  EXPECT_NE(value_of(effects[1].gap), nullptr);
}

TEST(NecessitySlopes, BoundHowTheThresholdMoves) {
  // (1e-2, 3e-2] at depth 2 and (3e-2, 1e-1] at depth 4, one doubling: between none and a decade.
  const auto slopes = necessity_slopes(measured_table().analysis());
  ASSERT_EQ(slopes.size(), 1U);
  EXPECT_EQ(slopes[0].factor, "model.n_layer");
  const auto& bounds = std::get<SlopeBounds>(slopes[0].slope);
  EXPECT_NEAR(*bounds.min, 0, 1e-12);
  EXPECT_NEAR(*bounds.max, 1, 1e-12);
  EXPECT_EQ(bounds.n, 4U);
}

TEST(NecessitySlopes, NeedTwoDepths) {
  StudyBuilder study;
  study.cell("base", 2, 1e-2, {2.0}).cell("qknorm", 2, 1e-2, {2.0});
  EXPECT_TRUE(necessity_slopes(study.analysis()).empty());
}

}  // namespace
}  // namespace sweep
