#include "queue/speed_table.h"

#include <gtest/gtest.h>

namespace sweep {
namespace {

/// 32 sequences of 128 tokens a step.
RunSpec run_of(const std::string& id, std::int64_t layers) {
  RunSpec spec;
  spec.id = id;
  spec.config.model.n_layer = layers;
  spec.config.model.n_embd = 128;
  spec.config.train.max_iters = 100;
  spec.data.vocab_size = 65;
  return spec;
}

constexpr double kTokensPerStep = 32 * 128;

TEST(SpeedTable, KnowsNothingBeforeAMeasurement) {
  EXPECT_FALSE(SpeedTable().seconds_for(run_of("a", 2), 10));
}

TEST(SpeedTable, PredictsFromTheMeanOfItsSize) {
  SpeedTable speeds;
  speeds.note(run_of("a", 2), 1000);
  speeds.note(run_of("b", 2), 3000);
  speeds.note(run_of("c", 4), 10);
  EXPECT_DOUBLE_EQ(speeds.seconds_for(run_of("d", 2), 10).value(), 10 * kTokensPerStep / 2000);
}

TEST(SpeedTable, TakesTheNewestFigureOfEachRun) {
  SpeedTable speeds;
  speeds.note(run_of("a", 2), 1000);
  speeds.note(run_of("a", 2), 4000);
  EXPECT_EQ(speeds.known(run_of("x", 2)), 1U);
  EXPECT_DOUBLE_EQ(speeds.seconds_for(run_of("x", 2), 1).value(), kTokensPerStep / 4000);
}

TEST(SpeedTable, IgnoresWhatIsNoSpeed) {
  SpeedTable speeds;
  speeds.note(run_of("a", 2), 0);
  speeds.note(run_of("a", 2), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(speeds.seconds_for(run_of("a", 2), 1));
}

TEST(SpeedTable, ScalesAnUnmeasuredSizeByItsWork) {
  SpeedTable speeds;
  speeds.note(run_of("a", 2), 1000);
  const double two = speeds.seconds_for(run_of("x", 2), 1).value();
  const double eight = speeds.seconds_for(run_of("y", 8), 1).value();
  // Nearly four times: the head's work does not grow with depth.
  EXPECT_GT(eight, 3.5 * two);
  EXPECT_LT(eight, 4 * two);
}

TEST(TimeLeft, IsSharedByTheWorkers) {
  SpeedTable speeds;
  speeds.note(run_of("a", 2), kTokensPerStep);  // a step a second
  TimeLeft left(speeds);
  EXPECT_DOUBLE_EQ(left.add_active(run_of("a", 2), 40, std::nullopt).left_s.value(), 60);
  EXPECT_DOUBLE_EQ(left.add_active(run_of("b", 2), 0, 2 * kTokensPerStep).left_s.value(), 50);
  left.add_waiting(run_of("c", 2), 10);
  EXPECT_DOUBLE_EQ(left.total_s().value(), (60 + 50 + 90) / 2.0);
}

TEST(TimeLeft, IsAtLeastThatOfTheLongestRun) {
  SpeedTable speeds;
  TimeLeft left(speeds);
  left.add_active(run_of("a", 2), 0, kTokensPerStep);
  left.add_active(run_of("b", 2), 99, kTokensPerStep);
  EXPECT_DOUBLE_EQ(left.total_s().value(), 100);
}

TEST(TimeLeft, IsUnknownWhileAnythingInItIs) {
  SpeedTable speeds;
  TimeLeft left(speeds);
  EXPECT_FALSE(left.total_s());
  left.add_waiting(run_of("a", 2), 0);
  EXPECT_FALSE(left.total_s());
}

}  // namespace
}  // namespace sweep
