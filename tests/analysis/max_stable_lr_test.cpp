#include "sweep/analysis/max_stable_lr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "analysis/study_builder.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

using Kind = StableLr::Kind;

const Curve& curve_of(const std::vector<Curve>& curves, const std::string& arm, int depth) {
  for (const Curve& curve : curves) {
    if (curve.arm == arm && to_json(curve.stratum) == depth) return curve;
  }
  throw std::runtime_error("no such curve");
}

StableLr defined(const Finding<StableLr>& finding) {
  EXPECT_NE(value_of(finding), nullptr) << std::get<Undefined>(finding).reason;
  return std::get<StableLr>(finding);
}

void expect_interval(const Finding<StableLr>& finding, double lower, double upper) {
  const StableLr stable = defined(finding);
  EXPECT_EQ(stable.kind, Kind::kInterval);
  EXPECT_EQ(stable.lower, lower);
  EXPECT_EQ(stable.upper, upper);
}

void expect_right_censored(const Finding<StableLr>& finding, double lower) {
  const StableLr stable = defined(finding);
  EXPECT_EQ(stable.kind, Kind::kRightCensored);
  EXPECT_EQ(stable.lower, lower);
  EXPECT_EQ(stable.upper, std::nullopt);
}

MaxStableLr measure(const StudyBuilder& study) {
  return max_stable_lr(study.curves()[0], study.prereg().definitions.max_stable_lr);
}

TEST(MaxStableLr, IsTheIntervalAboveTheLastUsableLevel) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.1).run("base", 2, 1e-2, 1, 2.0).run("base", 2, 1e-1, 1, 2.9);
  const auto stable = measure(study);
  expect_interval(stable.per_seed[0].second, 1e-2, 1e-1);
  expect_interval(stable.all_seeds, 1e-2, 1e-1);
  EXPECT_FALSE(defined(stable.all_seeds).non_monotone);
  EXPECT_EQ(defined(stable.all_seeds).unrestricted, 1e-2);
}

TEST(MaxStableLr, IsRightCensoredWhenTheTopIsUsable) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.1, 2.1}).cell("base", 2, 1e-2, {2.0, 2.0});
  expect_right_censored(measure(study).all_seeds, 1e-2);
}

TEST(MaxStableLr, StartsAtTheArmsBestSoThatSlownessIsNoInstability) {
  StudyBuilder study;
  study.run("base", 2, 1e-4, 1, 2.9).run("base", 2, 1e-2, 1, 2.0).run("base", 2, 1e-1, 1, 2.1);
  expect_right_censored(measure(study).all_seeds, 1e-1);
}

TEST(MaxStableLr, IsNoneWhenTheArmsBestIsItselfUnusable) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {3.3, 3.4}).cell("base", 2, 1e-2, {3.5, 3.6});
  const StableLr stable = defined(measure(study).all_seeds);
  EXPECT_EQ(stable.kind, Kind::kNone);
  EXPECT_EQ(stable.lower, std::nullopt);
  EXPECT_EQ(stable.unrestricted, std::nullopt);
}

TEST(MaxStableLr, IsNoneWhenAllSeedsWentNonFinite) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {kNan, kNan}).cell("base", 2, 1e-2, {kNan, kNan});
  const auto stable = measure(study);
  EXPECT_EQ(defined(stable.all_seeds).kind, Kind::kNone);
  EXPECT_EQ(defined(stable.per_seed[1].second).kind, Kind::kNone);
}

TEST(MaxStableLr, OfOneUnusableSeedAtTheBestIsNoneForItAndForAll) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0, 2.9}).cell("base", 2, 1e-2, {2.7, 2.7, 2.7});
  const auto stable = measure(study);
  expect_interval(stable.per_seed[0].second, 1e-3, 1e-2);
  EXPECT_EQ(defined(stable.per_seed[2].second).kind, Kind::kNone);
  EXPECT_EQ(defined(stable.all_seeds).kind, Kind::kNone);
}

TEST(MaxStableLr, IsTheMinimumOverSeeds) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0})
      .cell("base", 2, 1e-2, {2.1, 2.1})
      .cell("base", 2, 1e-1, {2.1, 2.9});
  const auto stable = measure(study);
  expect_right_censored(stable.per_seed[0].second, 1e-1);
  expect_interval(stable.per_seed[1].second, 1e-2, 1e-1);
  expect_interval(stable.all_seeds, 1e-2, 1e-1);
}

/// Four rates, three seeds, losses anywhere between trained and collapsed.
StudyBuilder random_study(std::uint64_t i) {
  RandomStream random(11, "studies", i);
  StudyBuilder study;
  for (const double lr : {1e-3, 1e-2, 1e-1, 1.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      study.run("base", 2, lr, seed, 2 + 1.5 * random.uniform() * random.uniform());
    }
  }
  return study;
}

/// Order of findings: none below every level, right-censored above them all.
std::pair<int, double> rank(const Finding<StableLr>& finding) {
  const StableLr stable = defined(finding);
  return {stable.kind == Kind::kNone ? 0 : 1, stable.lower.value_or(0)};
}

TEST(MaxStableLr, OfAllSeedsIsTheLowestOfTheSeedsInEveryStudy) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto stable = measure(random_study(i));
    auto lowest = rank(stable.per_seed[0].second);
    for (const auto& [seed, finding] : stable.per_seed) lowest = std::min(lowest, rank(finding));
    EXPECT_EQ(rank(stable.all_seeds), lowest) << "study " << i;
  }
}

TEST(MaxStableLr, IsNeverAboveTheUnrestrictedMaximum) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (const auto& [seed, finding] : measure(random_study(i)).per_seed) {
      const StableLr stable = defined(finding);
      if (stable.lower) {
        EXPECT_LE(*stable.lower, stable.unrestricted.value()) << "study " << i;
      }
    }
  }
}

TEST(MaxStableLr, FlagsAnIsolatedUsablePointAndDoesNotCountIt) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0)
      .run("base", 2, 1e-2, 1, 2.9)
      .run("base", 2, 1e-1, 1, 2.2)
      .run("base", 2, 3e-1, 1, 2.9);
  const StableLr stable = defined(measure(study).all_seeds);
  EXPECT_EQ(stable.lower, 1e-3);
  EXPECT_EQ(stable.upper, 1e-2);
  EXPECT_TRUE(stable.non_monotone);
  EXPECT_EQ(stable.unrestricted, 1e-1);
}

TEST(MaxStableLr, CountsAnIsolatedPointWhenNotRegisteredAsContiguous) {
  StudyBuilder study;
  study.prereg().definitions.max_stable_lr.contiguous = false;
  study.run("base", 2, 1e-3, 1, 2.0)
      .run("base", 2, 1e-2, 1, 2.9)
      .run("base", 2, 1e-1, 1, 2.2)
      .run("base", 2, 3e-1, 1, 2.9);
  expect_interval(measure(study).all_seeds, 1e-1, 3e-1);
}

TEST(MaxStableLr, IsUndefinedWhenAMissingRunDecides) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0}).cell("base", 2, 1e-2, {2.1, std::nullopt});
  const auto stable = measure(study);
  expect_right_censored(stable.per_seed[0].second, 1e-2);
  EXPECT_EQ(std::get<Undefined>(stable.per_seed[1].second).runs,
            std::vector<std::string>{"base-L2-lr1e-2-s2"});
  EXPECT_EQ(std::get<Undefined>(stable.all_seeds).runs,
            std::vector<std::string>{"base-L2-lr1e-2-s2"});
}

TEST(MaxStableLr, IsKnownDespiteAMissingRunBeyondAFailure) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0})
      .cell("base", 2, 1e-2, {2.9, 2.9})
      .cell("base", 2, 1e-1, {2.9, std::nullopt});
  expect_interval(measure(study).per_seed[1].second, 1e-3, 1e-2);
}

TEST(MaxStableLr, OfAllSeedsIsKnownWhenAnotherSeedFailsAtTheMissingRun) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0}).cell("base", 2, 1e-2, {2.9, std::nullopt});
  expect_interval(measure(study).all_seeds, 1e-3, 1e-2);
}

TEST(MaxStableLr, IsUndefinedWithoutACompleteCell) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, std::nullopt}).cell("base", 2, 1e-2, {std::nullopt, 2.0});
  EXPECT_EQ(std::get<Undefined>(measure(study).all_seeds).reason,
            "no complete cell: the arm's best learning rate is not known");
}

TEST(MaxStableLr, CanBeRegisteredToFailOnDivergenceOnly) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 2.9).run("base", 2, 1e-1, 1, 3.3);
  expect_interval(measure(study).all_seeds, 1e-3, 1e-2);
  study.prereg().definitions.max_stable_lr.failure = "diverged";
  expect_interval(measure(study).all_seeds, 1e-2, 1e-1);
}

TEST(MaxStableLr, OfOneLevelIsCensoredOrNone) {
  StudyBuilder stable;
  stable.run("base", 2, 1e-3, 1, 2.0);
  expect_right_censored(measure(stable).all_seeds, 1e-3);
  StudyBuilder failed;
  failed.run("base", 2, 1e-3, 1, 3.4);
  EXPECT_EQ(defined(measure(failed).all_seeds).kind, Kind::kNone);
}

TEST(MaxStableLr, OfTheMeasuredTableIsWhatTheTextSays) {
  const StudyBuilder study = measured_table();
  const auto curves = study.curves();
  const auto& rule = study.prereg().definitions.max_stable_lr;
  const auto off2 = max_stable_lr(curve_of(curves, "base", 2), rule);
  expect_interval(off2.per_seed[0].second, 1e-2, 3e-2);
  expect_interval(off2.per_seed[1].second, 1e-2, 3e-2);
  const auto on2 = max_stable_lr(curve_of(curves, "qknorm", 2), rule);
  expect_interval(on2.per_seed[0].second, 1e-1, 3e-1);
  expect_right_censored(on2.per_seed[1].second, 3e-1);
  expect_interval(on2.all_seeds, 1e-1, 3e-1);
  const auto off4 = max_stable_lr(curve_of(curves, "base", 4), rule);
  expect_interval(off4.all_seeds, 3e-2, 1e-1);
  const auto on4 = max_stable_lr(curve_of(curves, "qknorm", 4), rule);
  expect_right_censored(on4.per_seed[0].second, 3e-1);
  expect_interval(on4.per_seed[1].second, 1e-1, 3e-1);
}

TEST(MaxStableLr, WithASharedReferenceOneUnluckySeedReversesTheMeasuredOrder) {
  StudyBuilder study = measured_table();
  study.prereg().definitions.unusable[1].of = "same_stratum";
  const auto curves = study.curves();
  const auto& rule = study.prereg().definitions.max_stable_lr;
  expect_interval(max_stable_lr(curve_of(curves, "base", 2), rule).all_seeds, 1e-2, 3e-2);
  expect_interval(max_stable_lr(curve_of(curves, "qknorm", 2), rule).all_seeds, 3e-3, 1e-2);
}

}  // namespace
}  // namespace sweep
