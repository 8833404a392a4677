#include "sweep/analysis/training_health.h"

#include <gmock/gmock.h>

#include "analysis/study_builder.h"

namespace sweep {
namespace {

using testing::DoubleNear;
using testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  EXPECT_THAT(quantile({4, 1, 3, 2}, 0.5), Optional(2.5));
  EXPECT_THAT(quantile({4, 1, 3, 2}, 0), Optional(1));
  EXPECT_THAT(quantile({4, 1, 3, 2}, 1), Optional(4));
  std::vector<double> values(301);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  EXPECT_THAT(quantile(values, 0.999), Optional(DoubleNear(299.7, 1e-9)));
}

TEST(Quantile, RanksTheInfiniteAndLeavesOutWhatIsNoNumber) {
  EXPECT_THAT(quantile({kInfinity, 1, kNan, 2}, 0.5), Optional(2));
  EXPECT_THAT(quantile({kInfinity, 1}, 0.5), Optional(kInfinity));
  EXPECT_THAT(quantile({kInfinity, kInfinity}, 0.5), Optional(kInfinity));
  EXPECT_EQ(quantile({kNan}, 0.5), std::nullopt);
}

TEST(LossSpikes, AreStepsAboveTheMedianOfTheLastLosses) {
  std::vector<double> losses(20, 2.0);
  losses[7] = 2.05;
  losses[12] = 2.11;
  EXPECT_EQ(loss_spikes(losses, 5, 0.1), 1U);
  EXPECT_EQ(loss_spikes(losses, 5, 0.04), 2U);
}

TEST(LossSpikes, AreNoneWhereTheLossOnlyFalls) {
  std::vector<double> losses;
  for (int i = 0; i < 500; ++i) losses.push_back(4.0 * std::exp(-i / 30.0));
  EXPECT_EQ(loss_spikes(losses, 201, 0.1), 0U);
}

TEST(LossSpikes, EndOnceTheNewLevelIsTheMedian) {
  std::vector<double> losses(10, 2.0);
  losses.insert(losses.end(), 10, 3.0);        // a jump that stays
  EXPECT_EQ(loss_spikes(losses, 5, 0.1), 2U);  // then 3 of the last 5 are high
}

TEST(LossSpikes, CountWhatIsNotFinite) {
  EXPECT_EQ(loss_spikes(std::vector<double>{2, kNan, 2, kInfinity}, 5, 0.1), 2U);
}

/// The median anew at each step.
std::size_t spikes_by_sorting(const std::vector<double>& losses, std::size_t window, double by) {
  std::size_t spikes = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::size_t first = i + 1 > window ? i + 1 - window : 0;
    const std::vector<double> last(losses.begin() + static_cast<std::ptrdiff_t>(first),
                                   losses.begin() + static_cast<std::ptrdiff_t>(i + 1));
    if (losses[i] > *quantile(last, 0.5) + by) ++spikes;
  }
  return spikes;
}

TEST(LossSpikes, AreThoseOfAMedianTakenAnewAtEachStep) {
  std::vector<double> losses;
  for (int i = 0; i < 700; ++i) losses.push_back(2 + 0.2 * std::sin(i * i * 0.37));
  for (const std::size_t window : {1U, 2U, 7U, 201U}) {
    EXPECT_EQ(loss_spikes(losses, window, 0.1), spikes_by_sorting(losses, window, 0.1)) << window;
  }
  EXPECT_GT(loss_spikes(losses, 201, 0.1), 100U);
}

TEST(TrainingHealth, IsThatOfTheFinishedRunsOfEachCell) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, std::nullopt}).cell("base", 2, 1e-2, {2.5, kNan});
  study.records()[0].result->clip_count = 1;
  study.records()[0].result->outcome.step = 4;
  RunSeries series;
  series.id = study.records()[0].spec.id;
  series.updates = {{1, 4.0, 3.0}, {2, 3.0, 1.0}, {3, 3.5, 2.0}, {4, 2.0, 1.0}};
  const auto cells = training_health(study.curves(), study.records(), std::vector{series});
  ASSERT_EQ(cells.size(), 1U);
  ASSERT_EQ(cells[0].runs.size(), 1U);
  const TrainingHealth& health = cells[0].runs[0];
  EXPECT_THAT(health.grad_norm_p50, Optional(1.5));
  EXPECT_THAT(health.grad_norm_p99_9, Optional(DoubleNear(2.997, 1e-9)));
  EXPECT_EQ(health.clip_share, 0.25);
  EXPECT_EQ(health.spikes, 0U);  // 3.5 is the median of 4, 3 and itself
  EXPECT_EQ(health.lines, 4U);
}

}  // namespace
}  // namespace sweep
