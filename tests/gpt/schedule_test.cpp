#include "gpt/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sweep {
namespace {

TrainConfig config_of(std::int64_t max_iters, std::int64_t warmup) {
  TrainConfig config;
  config.max_iters = max_iters;
  config.warmup_iters = warmup;
  config.learning_rate = 0.02;
  return config;
}

TEST(LearningRate, RisesInEqualStepsThatReachThePeakAfterTheWarmUp) {
  const TrainConfig config = config_of(100, 4);
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(learning_rate_at(config, i), 0.02 * (i + 1) / 5);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 4), 0.02);
}

TEST(LearningRate, StartsAtThePeakWithoutWarmUp) {
  EXPECT_DOUBLE_EQ(learning_rate_at(config_of(100, 0), 0), 0.02);
}

TEST(LearningRate, IsHalfWayDownInTheMiddleOfTheCosine) {
  EXPECT_DOUBLE_EQ(learning_rate_at(config_of(110, 10), 60), (0.02 + 0.002) / 2);
}

TEST(LearningRate, EndsAtTheRelativeFloor) {
  const TrainConfig config = config_of(100, 10);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 100), 0.002);
  EXPECT_GT(learning_rate_at(config, 99), 0.002);
  EXPECT_LT(learning_rate_at(config, 99), 0.00201);
}

TEST(LearningRate, EndsAtTheAbsoluteFloorWhereThereIsOne) {
  TrainConfig config = config_of(100, 10);
  config.min_lr_ratio = 0;
  config.min_lr = 1e-5;
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 100), 1e-5);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 55), (0.02 + 1e-5) / 2);
}

TEST(LearningRate, StaysAtThePeakWhenConstant) {
  TrainConfig config = config_of(100, 10);
  config.schedule = Schedule::kConstant;
  EXPECT_LT(learning_rate_at(config, 9), 0.02);
  for (const int i : {10, 50, 99}) EXPECT_EQ(learning_rate_at(config, i), 0.02);
}

TEST(LearningRate, ScalesWithThePeakWhileTheFloorIsRelative) {
  TrainConfig config = config_of(100, 10);
  TrainConfig twice = config;
  twice.learning_rate *= 2;
  for (int i = 0; i < 100; ++i) {
    EXPECT_DOUBLE_EQ(learning_rate_at(twice, i), 2 * learning_rate_at(config, i));
  }
}

TEST(LearningRate, WarmsUpForTheWholeRunWhenAskedTo) {
  const TrainConfig config = config_of(10, 10);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 9), 0.02 * 10 / 11);
}

TEST(NextMeasuredStep, IsTheNextOneWhoseWeightsAreWanted) {
  Config config;
  config.train.max_iters = 25;
  config.measure.eval_interval = 10;
  config.measure.mechanism_iters = {0, 4, 10, 23};
  const auto steps_of = [&] {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 0; step < 25; steps.push_back(step)) {
      step = next_measured_step(config, step);
    }
    return steps;
  };
  config.measure.mechanism = {"max_logit"};
  EXPECT_EQ(steps_of(), (std::vector<std::int64_t>{4, 10, 20, 23, 25}));
  config.measure.mechanism.clear();
  EXPECT_EQ(steps_of(), (std::vector<std::int64_t>{10, 20, 25}));
}

}  // namespace
}  // namespace sweep
