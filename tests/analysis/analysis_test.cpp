#include "sweep/analysis/analysis.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

using Kind = StableLr::Kind;

const CurveAnalysis& of(const Analysis& analysis, const std::string& arm) {
  return *find_curve(analysis, arm, analysis.strata.at(0));
}

Kind kind_of(const MaxStableLr& stable) { return std::get<StableLr>(stable.all_seeds).kind; }

TEST(Analyse, AllSeedsDiverged) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {kNan, 5.0}).cell("base", 2, 1e-2, {5.0, kNan});
  const Analysis analysis = study.analysis();
  const CurveAnalysis& base = of(analysis, "base");
  EXPECT_EQ(kind_of(base.max_stable), Kind::kNone);
  EXPECT_EQ(base.own_reference, std::nullopt);
  const auto& seed = std::get<LrSensitivity>(base.sensitivity.per_seed[0].second);
  EXPECT_TRUE(seed.never_trained);
  EXPECT_EQ(seed.value, 0);
}

TEST(Analyse, NoneDiverged) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.1}).cell("base", 2, 1e-2, {2.1, 2.0});
  const Analysis analysis = study.analysis();
  EXPECT_EQ(kind_of(of(analysis, "base").max_stable), Kind::kRightCensored);
  EXPECT_EQ(kind_of(of(analysis, "base").max_stable_strict), Kind::kRightCensored);
}

TEST(Analyse, OneSeedMissing) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, std::nullopt}).cell("base", 2, 1e-2, {2.1, 2.0});
  const Analysis analysis = study.analysis();
  const CurveAnalysis& base = of(analysis, "base");
  EXPECT_EQ(base.best, (BestCell{1, 1e-2, 2.05}));  // the only complete cell
  EXPECT_EQ(value_of(base.sensitivity.over_seeds), nullptr);
  EXPECT_NE(value_of(base.sensitivity.per_seed[0].second), nullptr);
}

TEST(Analyse, OneArmMissingAtOneRateLeavesTheOtherArmDefined) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, std::nullopt);
  study.run("qknorm", 2, 1e-3, 1, 2.0).run("qknorm", 2, 1e-2, 1, 2.2);
  const Analysis analysis = study.analysis();
  EXPECT_EQ(value_of(of(analysis, "base").sensitivity.over_seeds), nullptr);
  EXPECT_EQ(value_of(of(analysis, "base").max_stable.all_seeds), nullptr);
  EXPECT_NEAR(std::get<Spread>(of(analysis, "qknorm").sensitivity.over_seeds).mean, 0.1, 1e-12);
  EXPECT_EQ(kind_of(of(analysis, "qknorm").max_stable), Kind::kRightCensored);
}

TEST(Analyse, AnArmNotPlannedAtOneRateHasAShorterCurve) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0);
  study.run("qknorm", 2, 1e-3, 1, 2.0).run("qknorm", 2, 1e-2, 1, 2.2);
  const Analysis analysis = study.analysis();
  EXPECT_EQ(of(analysis, "base").curve.cells.size(), 1U);
  EXPECT_EQ(of(analysis, "qknorm").curve.cells.size(), 2U);
}

TEST(Analyse, LowestRateUnusableIsSlownessAndNotInstability) {
  StudyBuilder study;
  study.run("base", 2, 1e-4, 1, 2.9).run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 2.9);
  const auto stable = std::get<StableLr>(of(study.analysis(), "base").max_stable.all_seeds);
  EXPECT_EQ(stable.lower, 1e-3);
  EXPECT_EQ(stable.upper, 1e-2);
  EXPECT_FALSE(stable.non_monotone);
}

TEST(Analyse, ATieForTheBestStartsTheScanLower) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 2.9).run("base", 2, 1e-1, 1, 2.0);
  const auto stable = std::get<StableLr>(of(study.analysis(), "base").max_stable.all_seeds);
  EXPECT_EQ(stable.lower, 1e-3);
  EXPECT_TRUE(stable.non_monotone);
}

TEST(Analyse, OneSeedHasNoDeviation) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 2.2);
  const auto spread = std::get<Spread>(of(study.analysis(), "base").sensitivity.over_seeds);
  EXPECT_EQ(spread.n, 1U);
  EXPECT_EQ(spread.sd, std::nullopt);
}

TEST(Analyse, WithoutStrataHasOne) {
  StudyBuilder study;
  study.prereg().roles.strata.clear();
  study.run("base", std::nullopt, 1e-3, 1, 2.0).run("qknorm", std::nullopt, 1e-3, 1, 2.1);
  const Analysis analysis = study.analysis();
  ASSERT_EQ(analysis.strata.size(), 1U);
  EXPECT_EQ(analysis.curves.size(), 2U);
}

TEST(Analyse, ShowsBothReferences) {
  const Analysis analysis = measured_table().analysis();
  EXPECT_NEAR(of(analysis, "base").own_reference.value(), 2.0505, 1e-12);
  EXPECT_NEAR(of(analysis, "qknorm").own_reference.value(), 2.1765, 1e-12);
  EXPECT_NEAR(of(analysis, "qknorm").stratum_reference.value(), 2.0505, 1e-12);
}

TEST(Analyse, KeepsTheStrictVersionBesideTheRegisteredOne) {
  const Analysis analysis = measured_table().analysis();
  const CurveAnalysis& base = of(analysis, "base");
  EXPECT_EQ(std::get<StableLr>(base.max_stable.all_seeds).lower, 1e-2);
  EXPECT_EQ(std::get<StableLr>(base.max_stable_strict.all_seeds).lower, 1e-1);
}

TEST(Analyse, SurvivesAPlanWithoutAnyResult) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {std::nullopt, std::nullopt});
  const Analysis analysis = study.analysis();
  EXPECT_EQ(of(analysis, "base").best, std::nullopt);
  EXPECT_EQ(value_of(of(analysis, "base").max_stable.all_seeds), nullptr);
}

}  // namespace
}  // namespace sweep
