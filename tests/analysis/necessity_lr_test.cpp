#include "sweep/analysis/necessity_lr.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

using Kind = NecessityLr::Kind;

constexpr std::optional<bool> kYes = true;
constexpr std::optional<bool> kNo = false;
constexpr std::optional<bool> kUnknown = std::nullopt;

/// Levels 1, 2, 3, ...: {control fails, treatment usable}.
std::vector<NecessityPoint> levels(
    std::initializer_list<std::pair<std::optional<bool>, std::optional<bool>>> states) {
  std::vector<NecessityPoint> points;
  for (const auto& [fails, usable] : states) {
    points.push_back({static_cast<double>(points.size() + 1), fails, usable, {}});
    if (!fails || !usable) points.back().unknown.push_back("run-" + std::to_string(points.size()));
  }
  return points;
}

NecessityLr found(const Finding<NecessityLr>& finding) {
  const auto* value = value_of(finding);
  EXPECT_NE(value, nullptr) << std::get<Undefined>(finding).reason;
  return value != nullptr ? *value : NecessityLr{};
}

TEST(NecessityScan, BracketsTheFirstLevelAtWhichOnlyTheControlFails) {
  const auto points = levels({{kNo, kYes}, {kNo, kYes}, {kYes, kYes}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)), (NecessityLr{Kind::kInterval, 2, 3, false}));
}

TEST(NecessityScan, StartsAtTheControlsBestLevel) {
  // Below the best level the control fails because it is slow.
  const auto points = levels({{kYes, kYes}, {kNo, kYes}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 1, true)), (NecessityLr{Kind::kInterval, 2, 3, false}));
}

TEST(NecessityScan, IsLeftCensoredWhenTheControlFailsAtItsBestLevel) {
  const auto points = levels({{kYes, kYes}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)),
            (NecessityLr{Kind::kLeftCensored, std::nullopt, 1, false}));
}

TEST(NecessityScan, IsRightCensoredWhenTheControlNeverFails) {
  const auto points = levels({{kNo, kYes}, {kNo, kYes}, {kNo, kNo}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)),
            (NecessityLr{Kind::kRightCensored, 3, std::nullopt, false}));
}

TEST(NecessityScan, HasNoWindowWhenTheTreatmentFailsWhereverTheControlDoes) {
  const auto points = levels({{kNo, kYes}, {kYes, kNo}, {kYes, kNo}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)).kind, Kind::kNoWindow);
}

TEST(NecessityScan, PassesOverLevelsAtWhichTheTreatmentFails) {
  const auto points = levels({{kNo, kYes}, {kYes, kYes}, {kNo, kNo}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)), (NecessityLr{Kind::kInterval, 1, 2, false}));
}

TEST(NecessityScan, MovesUpWhenTheControlRecovers) {
  const auto points = levels({{kNo, kYes}, {kYes, kYes}, {kNo, kYes}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)), (NecessityLr{Kind::kInterval, 3, 4, true}));
  EXPECT_EQ(found(scan_necessity(points, 0, false)), (NecessityLr{Kind::kInterval, 1, 2, true}));
}

TEST(NecessityScan, IsRightCensoredWhenTheControlRecoversAtTheTop) {
  const auto points = levels({{kNo, kYes}, {kYes, kYes}, {kNo, kYes}});
  EXPECT_EQ(found(scan_necessity(points, 0, true)),
            (NecessityLr{Kind::kRightCensored, 3, std::nullopt, true}));
}

TEST(NecessityScan, IsUndefinedWhileAnUnknownLevelDecides) {
  const auto names = [](const Finding<NecessityLr>& finding) {
    return std::get<Undefined>(finding).runs;
  };
  using Runs = std::vector<std::string>;
  EXPECT_EQ(names(scan_necessity(levels({{kNo, kYes}, {kUnknown, kYes}, {kYes, kYes}}), 0, true)),
            (Runs{"run-2"}));
  EXPECT_EQ(names(scan_necessity(levels({{kNo, kYes}, {kYes, kYes}, {kUnknown, kYes}}), 0, true)),
            (Runs{"run-3"}));
  EXPECT_EQ(names(scan_necessity(levels({{kNo, kYes}, {kYes, kYes}, {kNo, kUnknown}}), 0, true)),
            (Runs{"run-3"}));
  // Whether the control fails beside a failing treatment tells "no window" from "never needed".
  EXPECT_EQ(names(scan_necessity(levels({{kNo, kYes}, {kUnknown, kNo}}), 0, true)),
            (Runs{"run-2"}));
}

TEST(NecessityScan, DoesNotCareAboutUnknownLevelsThatCannotDecide) {
  const auto recovered = levels({{kNo, kYes}, {kUnknown, kYes}, {kNo, kYes}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(recovered, 0, true)).upper, 4);
  const auto first = levels({{kNo, kYes}, {kYes, kYes}, {kUnknown, kYes}});
  EXPECT_EQ(found(scan_necessity(first, 0, false)).upper, 2);
  // A control that fails cannot contradict the claim, one that does not cannot start it.
  const auto above = levels({{kNo, kYes}, {kYes, kYes}, {kYes, kUnknown}});
  EXPECT_EQ(found(scan_necessity(above, 0, true)).upper, 2);
  const auto recovers = levels({{kNo, kYes}, {kYes, kYes}, {kUnknown, kYes}, {kNo, kYes}});
  EXPECT_TRUE(found(scan_necessity(recovers, 0, true)).non_monotone);
  const auto below = levels({{kNo, kYes}, {kNo, kUnknown}, {kYes, kYes}});
  EXPECT_EQ(found(scan_necessity(below, 0, true)).upper, 3);
}

/// science, 6.0 item 1: on table 7.3 necessity is 3e-2 at depth 2 and 1e-1 at depth 4.
TEST(Necessity, ReproducesTheMeasuredTable) {
  const Analysis analysis = measured_table().analysis();
  ASSERT_EQ(analysis.necessity.size(), 2U);
  EXPECT_EQ(found(analysis.necessity[0].all_seeds),
            (NecessityLr{Kind::kInterval, 1e-2, 3e-2, false}));
  EXPECT_EQ(found(analysis.necessity[1].all_seeds),
            (NecessityLr{Kind::kInterval, 3e-2, 1e-1, false}));
  ASSERT_EQ(analysis.necessity[0].per_seed.size(), 2U);
  EXPECT_EQ(found(analysis.necessity[0].per_seed[1].second).upper, 3e-2);
}

TEST(Necessity, ReadsTheCrossingOfTheMeanGap) {
  // Depth 2: mean gap at 1e-2 (2.042 - 2.375 + 2.059 - 2.092) / 2 = -0.183, at 3e-2
  // (2.513 - 2.389 + 2.540 - 2.065) / 2 = +0.2995; 0.1 nats lie 0.5865 of the way in ln x.
  const Analysis analysis = measured_table().analysis();
  ASSERT_TRUE(analysis.necessity[0].crossing);
  EXPECT_NEAR(*analysis.necessity[0].crossing, 1e-2 * std::pow(3.0, 0.283 / 0.4825), 1e-9);
  EXPECT_EQ(analysis.necessity[0].crossing_gap, kCrossingGap);
}

TEST(Necessity, CanBeAMarginBetweenThePairsInstead) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.0}).cell("qknorm", 2, 1e-3, {2.0, 2.0});
  study.cell("base", 2, 1e-2, {2.1, 2.3}).cell("qknorm", 2, 1e-2, {2.05, 2.05});
  study.prereg().definitions.necessity_lr.control = "worse_by";
  study.prereg().definitions.necessity_lr.worse_by = 0.1;
  const Analysis analysis = study.analysis();
  ASSERT_EQ(analysis.necessity.size(), 1U);
  EXPECT_EQ(found(analysis.necessity[0].per_seed[0].second).kind, Kind::kRightCensored);
  EXPECT_EQ(found(analysis.necessity[0].per_seed[1].second).upper, 1e-2);
  EXPECT_EQ(found(analysis.necessity[0].all_seeds).upper, 1e-2);  // the mean gap is 0.15
}

TEST(Necessity, NamesTheMissingRun) {
  StudyBuilder study = measured_table();
  for (RunRecord& record : study.records()) {
    if (record.spec.id == "base-L2-lr1e-1-s1") record.result.reset();
  }
  const Analysis analysis = study.analysis();
  const auto* why = std::get_if<Undefined>(&analysis.necessity[0].per_seed[0].second);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->runs, std::vector<std::string>{"base-L2-lr1e-1-s1"});
  EXPECT_EQ(found(analysis.necessity[0].per_seed[1].second).upper, 3e-2);
}

}  // namespace
}  // namespace sweep
