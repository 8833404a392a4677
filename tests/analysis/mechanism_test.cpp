#include "sweep/analysis/mechanism.h"

#include <gmock/gmock.h>

#include "analysis/study_builder.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const MechanismThreshold& threshold(const std::string& name) {
  for (const MechanismThreshold& one : mechanism_thresholds()) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no threshold " + name);
}

RunSeries series_of(const std::string& id,
                    const std::vector<std::pair<std::int64_t, double>>& logits,
                    const std::vector<std::pair<std::int64_t, double>>& losses = {}) {
  RunSeries series;
  series.id = id;
  for (const auto& [step, value] : logits) {
    series.mechanism.push_back({step, {{"max_attention_logit", value}}});
  }
  for (const auto& [step, loss] : losses) series.evaluations.push_back({step, loss});
  return series;
}

TEST(MechanismThreshold, OfEntropyIsAShareOfTheMostThatACausalMeanCanBe) {
  const MechanismThreshold& collapse = threshold("min entropy < 10 %");
  EXPECT_NEAR(level_of(collapse, 64), 0.3206, 1e-4);
  EXPECT_TRUE(has_passed(collapse, 0.32, 64));
  EXPECT_FALSE(has_passed(collapse, 0.33, 64));
  EXPECT_FALSE(has_passed(collapse, 0.32, 32));
  EXPECT_TRUE(has_passed(collapse, kNan, 64));
}

TEST(MechanismThreshold, OfALogitIsPassedAboveItAndByWhatIsNotFinite) {
  EXPECT_FALSE(has_passed(threshold("max logit > 1e3"), 1e3, 64));
  EXPECT_TRUE(has_passed(threshold("max logit > 1e3"), 1001, 64));
  EXPECT_TRUE(has_passed(threshold("max logit > 5e4"), kInfinity, 64));
}

TEST(Passage, IsTheFirstRegisteredStepAndKnowsTheOneBefore) {
  const RunSeries series = series_of("a", {{0, 0.1}, {30, 90}, {100, 1500}, {300, 20}});
  EXPECT_THAT(passage(threshold("max logit > 1e3"), series, 64), Optional(Onset{100, 30}));
  EXPECT_THAT(passage(threshold("max logit > 1e2"), series, 64), Optional(Onset{100, 30}));
  EXPECT_EQ(passage(threshold("max logit > 1e4"), series, 64), std::nullopt);
  EXPECT_EQ(passage(threshold("min entropy < 10 %"), series, 64), std::nullopt);
  EXPECT_THAT(passage(threshold("max logit > 1e2"), series_of("b", {{0, 200}}), 64),
              Optional(Onset{0, std::nullopt}));
}

TEST(LossOnset, IsTheFirstEvaluationFromWhichOnTheRunIsWorse) {
  const ReferenceLosses reference = {{0, 4}, {50, 3}, {100, 2.5}, {150, 2}};
  const auto onset = [&](const std::vector<std::pair<std::int64_t, double>>& losses) {
    return loss_onset(series_of("a", {}, losses), reference, 0.3);
  };
  EXPECT_THAT(onset({{0, 4}, {50, 3.1}, {100, 2.9}, {150, 2.9}}), Optional(Onset{100, 50}));
  // Worse in passing only.
  EXPECT_THAT(onset({{0, 4}, {50, 3.9}, {100, 2.6}, {150, 2.9}}), Optional(Onset{150, 100}));
  EXPECT_EQ(onset({{0, 4}, {50, 3.9}, {100, 2.9}, {150, 2.2}}), std::nullopt);
  EXPECT_THAT(onset({{0, 4}, {50, 3}, {100, kNan}}), Optional(Onset{100, 50}));
}

TEST(ReferenceLosses, AreTheLowestMeansOfCompleteCellsWithoutAnUnusableRun) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 2.2});
  study.cell("base", 2, 3e-3, {2.2, 2.3});
  study.cell("base", 2, 1e-2, {2.1, 3.0});  // one degraded
  std::vector<RunSeries> series;
  const std::vector<std::vector<double>> losses = {{3.0, 2.0}, {3.2, 2.2}, {2.5, 2.2},
                                                   {2.6, 2.3}, {1.0, 2.1}, {1.0, 3.0}};
  for (std::size_t i = 0; i < 6; ++i) {
    series.push_back(
        series_of(study.records()[i].spec.id, {}, {{50, losses[i][0]}, {100, losses[i][1]}}));
  }
  const auto reference = reference_losses(study.curves().at(0), series);
  ASSERT_EQ(reference.size(), 2U);
  EXPECT_NEAR(reference[0].second, 2.55, 1e-12);
  EXPECT_NEAR(reference[1].second, 2.1, 1e-12);
}

TEST(Order, IsOnlySaidWhereTheMeasuredStepsTellIt) {
  EXPECT_EQ(order_of({100, 30}, {150, 100}), Order::kBefore);
  EXPECT_EQ(order_of({100, 30}, {150, 50}), Order::kUndecided);
  EXPECT_EQ(order_of({300, 100}, {100, 50}), Order::kAfter);
  EXPECT_EQ(order_of({300, 0}, {100, 50}), Order::kUndecided);
  EXPECT_EQ(order_of({0, std::nullopt}, {50, 0}), Order::kBefore);
}

TEST(SeedRange, HasMedianAndExtremesOfWhatIsANumber) {
  EXPECT_THAT(seed_range({3, 1, kNan, 2}), Optional(SeedRange{3, 2, 1, 3}));
  EXPECT_THAT(seed_range({kInfinity, 5}), Optional(SeedRange{2, kInfinity, 5, kInfinity}));
  EXPECT_EQ(seed_range({}), std::nullopt);
}

/// Base at 1e-2: logits 2e3 before the loss breaks in seed 1, without a sign in seed 2; at 1e-1 one
/// run went non-finite. The treatment passes 1e2 and is well.
class MechanismOfAStudy : public testing::Test {
 protected:
  MechanismOfAStudy() {
    study_.cell("base", 2, 1e-3, {2.0, 2.2}).cell("qknorm", 2, 1e-3, {2.1, 2.3});
    study_.cell("base", 2, 1e-2, {3.0, 3.0}).cell("qknorm", 2, 1e-2, {2.0, 2.2});
    study_.cell("base", 2, 1e-1, {kNan, 3.5}).cell("qknorm", 2, 1e-1, {2.2, 2.3});
    for (const RunRecord& record : study_.records()) {
      series_.push_back(series_of(record.spec.id, {{0, 1}, {50, 5}, {100, 6}},
                                  {{0, 4}, {50, 3}, {100, record.result->final_val_loss}}));
    }
    set_logits("base-L2-lr1e-2-s1", {{0, 1}, {50, 2e3}, {100, 3e3}});
    set_logits("base-L2-lr1e-1-s1", {{0, 1}});
    set_logits("base-L2-lr1e-1-s2", {{0, 1}, {50, 5}, {100, 2e4}});
    set_logits("qknorm-L2-lr1e-1-s1", {{0, 1}, {50, 5}, {100, 150}});
    set_logits("qknorm-L2-lr1e-1-s2", {{0, 1}, {50, 5}, {100, 150}});
  }

  void set_logits(const std::string& id,
                  const std::vector<std::pair<std::int64_t, double>>& logits) {
    for (RunSeries& one : series_) {
      if (one.id == id) one.mechanism = series_of(id, logits).mechanism;
    }
  }

  [[nodiscard]] MechanismAnalysis analyse() const {
    return analyse_mechanism(study_.curves(), study_.records(), series_,
                             study_.prereg().definitions);
  }

  static std::optional<double> level(const Finding<std::optional<double>>& crossing) {
    const auto* value = value_of(crossing);
    if (value == nullptr) throw std::runtime_error("undefined");
    return *value;
  }

  StudyBuilder study_;
  std::vector<RunSeries> series_;
};

TEST_F(MechanismOfAStudy, CrossesAtTheLowestLevelOfAnySeedAndOfEvery) {
  const MechanismAnalysis found = analyse();
  ASSERT_EQ(found.thresholds.size(), 4U);  // no entropy was measured
  ASSERT_EQ(found.curves.size(), 2U);
  const CurveMechanism& base = found.curves[0];
  EXPECT_EQ(level(base.crossings[0].any_seed), 1e-2);
  EXPECT_EQ(level(base.crossings[0].every_seed), std::nullopt);
  EXPECT_EQ(level(base.crossings[2].any_seed), 1e-1);
  EXPECT_EQ(level(base.crossings[3].any_seed), std::nullopt);
  const CurveMechanism& treatment = found.curves[1];
  EXPECT_EQ(level(treatment.crossings[0].every_seed), 1e-1);
  EXPECT_EQ(level(treatment.crossings[1].any_seed), std::nullopt);
}

TEST_F(MechanismOfAStudy, SaysWhetherPassingCameBeforeTheLoss) {
  const MechanismAnalysis found = analyse();
  // 1e3, base: s1 at 1e-2 passed by 50, worse from 100; s2 at 1e-1 in (50, 100] as the loss; two
  // without.
  EXPECT_EQ(found.curves[0].passages[1], (PassageCounts{1, 1, 0, 2, 0, 2}));
  EXPECT_EQ(found.curves[1].passages[0], (PassageCounts{0, 0, 0, 0, 2, 4}));
}

TEST_F(MechanismOfAStudy, LeavesACrossingOpenThatAMissingRunCouldLower) {
  study_.records()[0].result.reset();
  series_.erase(series_.begin());
  const MechanismAnalysis found = analyse();
  const auto* why = std::get_if<Undefined>(&found.curves[0].crossings[0].any_seed);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->reason, "1 run missing");
  EXPECT_THAT(why->runs, ElementsAre("base-L2-lr1e-3-s1"));
}

TEST_F(MechanismOfAStudy, KnowsWhatWasMeasuredAtAStep) {
  const MechanismAnalysis found = analyse();
  EXPECT_EQ(found.last_step, 100);
  EXPECT_THAT(found.names, ElementsAre("max_attention_logit"));
  const CellMechanism& broken = found.curves[0].cells.at(2);
  EXPECT_THAT(range_at(broken, 100, "max_attention_logit"), Optional(SeedRange{1, 2e4, 2e4, 2e4}));
  EXPECT_EQ(range_at(broken, 100, "qk_rms"), std::nullopt);
}

TEST_F(MechanismOfAStudy, DatesTheLossOfARunThatStoppedNonFinite) {
  series_[8].evaluations = {{0, 4}};  // base, 1e-1, seed 1: stopped at update 17
  const RunMechanism run = analyse().curves[0].cells.at(2).runs.at(0);
  EXPECT_EQ(run.id, "base-L2-lr1e-1-s1");
  EXPECT_THAT(run.loss, Optional(Onset{17, 0}));
}

TEST(MechanismAnalysis, IsEmptyWhereNothingWasMeasured) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0});
  const RunSeries series = series_of(study.records()[0].spec.id, {}, {{0, 4}});
  const MechanismAnalysis found = analyse_mechanism(study.curves(), study.records(),
                                                    std::vector{series}, default_definitions());
  EXPECT_TRUE(found.names.empty());
  EXPECT_TRUE(found.curves.empty());
  EXPECT_TRUE(found.thresholds.empty());
}

}  // namespace
}  // namespace sweep
