#include "queue/worker_watch.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

using Verdict = WorkerWatch::Verdict;

class WorkerWatchTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path timing_ = folder_ / "timing.jsonl";
};

TEST_F(WorkerWatchTest, AGrowingFileIsLife) {
  WorkerWatch watch(timing_, 10, 5, 0);
  for (int t = 1; t < 100; ++t) {
    append_line(timing_, "x");
    EXPECT_EQ(watch.look(9.0 * t), Verdict::kFine);
  }
  EXPECT_FALSE(watch.hung());
}

TEST_F(WorkerWatchTest, SilenceFromTheStartIsAHang) {
  WorkerWatch watch(timing_, 10, 5, 0);
  EXPECT_EQ(watch.look(10), Verdict::kFine);
  EXPECT_EQ(watch.look(10.5), Verdict::kHung);
  EXPECT_TRUE(watch.hung());
}

TEST_F(WorkerWatchTest, LinesOfAnEarlierAttemptAreNoLife) {
  append_line(timing_, "old");
  WorkerWatch watch(timing_, 10, 5, 0);
  EXPECT_EQ(watch.look(11), Verdict::kHung);
}

TEST_F(WorkerWatchTest, SaysEachThingOnce) {
  WorkerWatch watch(timing_, 10, 5, 0);
  EXPECT_EQ(watch.look(11), Verdict::kHung);
  EXPECT_EQ(watch.look(12), Verdict::kFine);
  EXPECT_EQ(watch.look(15.5), Verdict::kObstinate);
  EXPECT_EQ(watch.look(100), Verdict::kFine);
}

}  // namespace
}  // namespace sweep
