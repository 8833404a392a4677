#include "queue/pace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

std::string timing_line(int step, double wall_s) {
  return fmt::format(R"({{"step":{},"max_iters":600,"wall_s":{},"tokens_per_s":7}})", step,
                     wall_s) +
         "\n";
}

class PaceTest : public testing::Test {
 protected:
  std::optional<Pace> read(const std::string& content) {
    publish(folder_ / "timing.jsonl", content);
    return read_pace(folder_ / "timing.jsonl", 100);
  }
  TemporaryFolder folder_;
};

TEST_F(PaceTest, IsUnknownBeforeTheFirstLine) {
  EXPECT_FALSE(read_pace(folder_ / "none", 100));
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("{\"step\":1"));
}

TEST_F(PaceTest, CountsEverythingBetweenFirstAndLastLine) {
  const auto pace = read(timing_line(0, 1) + timing_line(10, 2) + timing_line(20, 6));
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->step, 20);
  EXPECT_EQ(pace->max_iters, 600);
  EXPECT_DOUBLE_EQ(pace->tokens_per_s.value(), 20 * 100 / 5.0);
}

TEST_F(PaceTest, TakesTheWorkersWordWhileThereIsOneLine) {
  EXPECT_DOUBLE_EQ(read(timing_line(3, 1))->tokens_per_s.value(), 7);
}

TEST_F(PaceTest, LooksAtTheNewestAttemptOnly) {
  const auto pace = read(timing_line(0, 1) + timing_line(100, 90) + timing_line(50, 1) +
                         timing_line(60, 3) + timing_line(70, 5));
  EXPECT_EQ(pace->step, 70);
  EXPECT_DOUBLE_EQ(pace->tokens_per_s.value(), 20 * 100 / 4.0);
}

TEST_F(PaceTest, LeavesTornAndForeignLinesOut) {
  const auto pace = read(timing_line(0, 1) + "rubbish\n" + timing_line(10, 2) + "{\"step\":99");
  EXPECT_EQ(pace->step, 10);
}

TEST_F(PaceTest, ReadsTheEndOfALongFile) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += timing_line(i, i < 4990 ? i : 4990 + 2.0 * (i - 4990));
  const auto pace = read(content);
  EXPECT_EQ(pace->step, 4999);
  EXPECT_GT(pace->tokens_per_s.value(), 50);
  EXPECT_LT(pace->tokens_per_s.value(), 100);
}

}  // namespace
}  // namespace sweep
