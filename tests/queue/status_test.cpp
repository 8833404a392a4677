#include "sweep/queue/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "queue_fixture.h"

namespace sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Six runs (three pairs) of which each can be put into a state.
class Status : public QueueTest {
 protected:
  Status() { make_sweep(3); }

  void finish(std::size_t i) {
    start(i);
    publish(run_dir(i).result(), "{}");
  }
  void start(std::size_t i) {
    std::filesystem::create_directories(run_dir(i).path);
    append_attempt_start(run_dir(i), attempt_);
  }
  void end(std::size_t i, AttemptEnd how, bool retry) {
    Attempt ended = attempt_;
    ended.ended = "2026-08-01T12:01:00Z";
    ended.end = how;
    ended.status = "exit 1";
    ended.retry = retry;
    append_attempt_end(run_dir(i), ended);
  }
  void write_timing(std::size_t i) {
    publish(run_dir(i).timing(), R"({"step":0,"max_iters":5,"wall_s":0,"tokens_per_s":0})"
                                 "\n"
                                 R"({"step":2,"max_iters":5,"wall_s":4,"tokens_per_s":0})"
                                 "\n");
  }

  Attempt attempt_{1, "here", 42, "2026-08-01T12:00:00Z", "", AttemptEnd::kUnknown, "", "", true};
};

TEST_F(Status, OfAFreshSweepIsAllWaiting) {
  const auto status = read_status(sweep_);
  EXPECT_EQ(status.progress.runs, (RunCounts{6, 0, 0, 0, 6, 0, 0}));
  EXPECT_FALSE(status.complete());
  EXPECT_EQ(status.pairs_planned, 3U);
  EXPECT_FALSE(status.owner);
  EXPECT_FALSE(status.progress.left_s);
}

TEST_F(Status, DerivesEachStateFromFiles) {
  finish(0);
  start(1);
  const auto claim = Claim::try_take(run_dir(1).claim(), 1, "t");
  start(2);
  end(2, AttemptEnd::kStopped, true);
  start(3);
  end(3, AttemptEnd::kFailed, false);
  start(4);  // its orchestrator was killed
  publish(run_dir(4).claim(), R"({"host":"elsewhere","pid":7,"token":"x","since":"then"})");
  const auto status = read_status(sweep_);
  EXPECT_EQ(status.progress.runs, (RunCounts{6, 1, 1, 1, 1, 1, 1}));
  ASSERT_EQ(status.failures.size(), 1U);
  EXPECT_EQ(status.failures[0].id, plan_[3].id);
  EXPECT_EQ(status.failures[0].status, "exit 1");
  ASSERT_EQ(status.progress.active.size(), 2U);
  EXPECT_EQ(status.progress.active[1].host, "elsewhere");
}

TEST_F(Status, AFailureThatWillBeRetriedIsNotFailed) {
  start(0);
  end(0, AttemptEnd::kFailed, true);
  EXPECT_EQ(read_status(sweep_).progress.runs.interrupted, 1U);
}

TEST_F(Status, APairIsCompleteWithAllItsArms) {
  finish(0);
  finish(1);
  finish(2);
  const auto status = read_status(sweep_);
  EXPECT_EQ(status.pairs_complete, 1U);
  EXPECT_EQ(status.pairs_planned, 3U);
}

TEST_F(Status, ShowsHowFarAndHowFastActiveRunsAre) {
  start(0);
  write_timing(0);
  const auto claim = Claim::try_take(run_dir(0).claim(), 1, "t");
  const auto status = read_status(sweep_);
  ASSERT_EQ(status.progress.active.size(), 1U);
  const ActiveRun& run = status.progress.active[0];
  EXPECT_EQ(run.step, 2);
  EXPECT_EQ(run.max_iters, 5);
  EXPECT_DOUBLE_EQ(run.tokens_per_s.value(), 2 * 32 * 128 / 4.0);
  EXPECT_DOUBLE_EQ(run.left_s.value(), 6);
  EXPECT_DOUBLE_EQ(status.progress.left_s.value(), 6 + 5 * 10);
}

TEST_F(Status, NamesTheOwner) {
  const auto owner = Claim::try_take(sweep_.owner(), 0, "t");
  const auto status = read_status(sweep_);
  ASSERT_TRUE(status.owner);
  EXPECT_EQ(status.owner->who, self_identity());
}

TEST_F(Status, OfACompleteSweep) {
  for (std::size_t i = 0; i < plan_.size(); ++i) finish(i);
  const auto status = read_status(sweep_);
  EXPECT_TRUE(status.complete());
  EXPECT_EQ(status.pairs_complete, 3U);
  EXPECT_THAT(render_status(status, 80, false, 0), HasSubstr("complete: every planned run"));
}

TEST_F(Status, ChangesNothing) {
  finish(0);
  start(1);
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sweep_.path)) {
      all.push_back(entry.path().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto before = names();
  read_status(sweep_);
  EXPECT_EQ(names(), before);
}

TEST_F(Status, AsJsonHasADocumentedShape) {
  SweepStatus status;
  status.name = "demo.sweep";
  status.progress.runs = {6, 1, 1, 0, 2, 1, 1};
  status.progress.active = {{"base-s1-00000001", "here", 2, 5, 2048.0, std::nullopt}};
  status.progress.left_s = 56;
  status.pairs_planned = 3;
  status.failures = {{"base-s2-00000004", 3, "exit 1"}};
  status.owner = ClaimInfo{{"here", "boot", 7, "1"}, 0, "t", "2026-08-01T12:00:00Z"};
  EXPECT_EQ(to_line(to_json(status)),
            R"({"schema_version":1,"sweep":"demo.sweep","complete":false,"planned":6,"finished":1,)"
            R"("running":1,"elsewhere":0,"waiting":2,"interrupted":1,"failed":1,)"
            R"("pairs":{"planned":3,"complete":0},)"
            R"("active":[{"run":"base-s1-00000001","host":"here","step":2,"max_iters":5,)"
            R"("tokens_per_s":2048.0,"seconds_left":null}],)"
            R"("failures":[{"run":"base-s2-00000004","attempts":3,"status":"exit 1"}],)"
            R"("seconds_left":56.0,)"
            R"("owner":{"host":"here","pid":7,"since":"2026-08-01T12:00:00Z"}})");
}

TEST_F(Status, AsTextForPeople) {
  SweepStatus status;
  status.name = "demo.sweep";
  status.progress.runs = {6, 1, 1, 0, 2, 1, 1};
  status.progress.active = {{"base-s1-00000001", "here", 2, 5, 2048.0, 6.0}};
  status.pairs_planned = 3;
  status.failures = {{"base-s2-00000004", 3, "exit 1"}};
  EXPECT_EQ(render_status(status, 0, false, 0),
            "demo.sweep: nobody works on it; carry on with: sweep resume demo.sweep\n"
            "  6 planned runs\n"
            "      1 finished\n"
            "      1 running\n"
            "      2 waiting      not started yet\n"
            "      1 interrupted  carried on by the next 'sweep resume'\n"
            "      1 failed       retries used up; the next 'sweep resume' tries again\n"
            "  0 of 3 pairs complete\n"
            "  estimating the time left\n"
            "  base-s1  step 2/5    2.0k tok/s  6.0 s left\n"
            "  failed: base-s2-00000004 (exit 1 after 3 attempts)\n");
  EXPECT_THAT(render_status(status, 0, true, 0), HasSubstr("\x1b[31m"));
  for (const auto& line : {render_status(status, 20, false, 0)}) {
    EXPECT_THAT(line, Not(HasSubstr("carry on")));
  }
}

TEST_F(Status, OfManyRunsReadsNothingOfFinishedOnes) {
  make_sweep(50);
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    std::filesystem::create_directories(run_dir(i).path);
    // Unreadable as attempts or claims: a finished run is counted by its result alone.
    std::filesystem::create_directories(run_dir(i).attempts());
    std::filesystem::create_directories(run_dir(i).claim());
    std::ofstream(run_dir(i).result()) << "{}";
  }
  EXPECT_TRUE(read_status(sweep_).complete());
}

}  // namespace
}  // namespace sweep
