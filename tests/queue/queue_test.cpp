#include "sweep/queue/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue_fixture.h"
#include "sweep/base/error.h"
#include "sweep/base/machine.h"
#include "sweep/record/claim.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Queue : public QueueTest {};

TEST_F(Queue, TrainsEveryRunOnce) {
  const auto summary = run();
  EXPECT_EQ(summary.code, ExitCode::kOk);
  EXPECT_EQ(summary.exit_status(), 0);
  EXPECT_EQ(summary.runs.finished, 4U);
  expect_each_completed_once();
  EXPECT_EQ(view_.finished_runs.size(), 4U);
  EXPECT_TRUE(view_.closed);
  EXPECT_EQ(describe(summary, sweep_), "4 of 4 runs finished");
}

TEST_F(Queue, RunsInPlanOrderWithOneWorker) {
  options_.jobs = 1;
  run();
  std::vector<std::string> ids;
  for (const auto& spec : plan_) ids.push_back(spec.id);
  EXPECT_EQ(view_.finished_runs, ids);
  EXPECT_LE(view_.most_active, 1U);
}

TEST_F(Queue, LeavesFinishedRunsAlone) {
  run();
  const auto summary = run();
  EXPECT_EQ(summary.runs.finished, 4U);
  expect_each_completed_once();
  for (std::size_t i = 0; i < plan_.size(); ++i) EXPECT_EQ(attempts(i).size(), 1U);
}

TEST_F(Queue, WritesEachConfigAsThePlanHasIt) {
  run();
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    EXPECT_EQ(to_line(read_json(run_dir(i).config())), to_line(to_json(plan_[i])));
  }
}

TEST_F(Queue, RefusesAConfigThatWasChanged) {
  RunSpec changed = plan_[1];
  changed.config.train.learning_rate = 0.5;
  std::filesystem::create_directories(run_dir(1).path);
  publish(run_dir(1).config(), to_text(to_json(changed)));
  const auto summary = run();
  EXPECT_EQ(summary.code, ExitCode::kRefused);
  EXPECT_THAT(summary.problem, HasSubstr("differs from the plan"));
  EXPECT_FALSE(read_result(run_dir(1)));
}

TEST_F(Queue, RetriesAKilledWorkerFromItsCheckpoint) {
  behave(R"({"runs": {"base-s1": {"how": "kill", "at": 3, "attempts": 1}}})");
  const auto summary = run();
  EXPECT_EQ(summary.code, ExitCode::kOk);
  expect_each_completed_once();
  ASSERT_EQ(attempts(0).size(), 2U);
  EXPECT_EQ(attempts(0)[0].end, AttemptEnd::kFailed);
  EXPECT_EQ(attempts(0)[0].status, "signal 9 (Killed)");
  EXPECT_THAT(attempts(0)[0].cause, HasSubstr("out of memory"));
  EXPECT_TRUE(attempts(0)[0].retry);
  EXPECT_EQ(attempts(0)[1].number, 2);
  EXPECT_EQ(attempts(0)[1].end, AttemptEnd::kFinished);
  EXPECT_EQ(attempts(1).size(), 1U);
  EXPECT_TRUE(view_.said("retry 1 of 2"));
}

TEST_F(Queue, GivesUpAfterTheAllowedRetriesAndGoesOnWithTheRest) {
  behave(R"({"runs": {"base-s1": {"how": "exit", "code": 1}}})");
  execution_.max_retries = 2;
  const auto summary = run();
  EXPECT_EQ(summary.code, ExitCode::kRunFailed);
  EXPECT_EQ(summary.exit_status(), 1);
  EXPECT_EQ(summary.runs.failed, 1U);
  EXPECT_EQ(summary.runs.finished, 3U);
  ASSERT_EQ(attempts(0).size(), 3U);
  EXPECT_FALSE(attempts(0)[2].retry);
  EXPECT_THAT(describe(summary, sweep_), HasSubstr("3 of 4 runs finished, 1 failed\ncarry on"));
}

TEST_F(Queue, ResumeTriesFailedRunsAfresh) {
  behave(R"({"runs": {"base-s1": {"how": "no_result"}}})");
  execution_.max_retries = 0;
  EXPECT_EQ(run().code, ExitCode::kRunFailed);
  EXPECT_EQ(attempts(0).back().cause, "ended without a result");
  behave("{}");
  EXPECT_EQ(run().code, ExitCode::kOk);
  expect_each_completed_once();
  EXPECT_EQ(attempts(0).back().number, 2);
}

TEST_F(Queue, NeverRetriesBadInput) {
  behave(R"({"runs": {"base-s1": {"how": "exit", "code": 2}}})");
  EXPECT_EQ(run().code, ExitCode::kRunFailed);
  EXPECT_EQ(attempts(0).size(), 1U);
  EXPECT_FALSE(attempts(0)[0].retry);
}

TEST_F(Queue, DivergenceIsAResultAndNeverRetried) {
  behave(R"({"nonfinite_at": 2})");
  EXPECT_EQ(run().code, ExitCode::kOk);
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    EXPECT_EQ(attempts(i).size(), 1U);
    const auto result = read_result(run_dir(i));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome.kind, RunOutcome::Kind::kNonfinite);
    EXPECT_EQ(result->outcome.step, 2);
  }
}

TEST_F(Queue, CarriesAWorkerOnThatStoppedAtACheckpointByItself) {
  behave(R"({"runs": {"base-s1": {"how": "checkpoint", "at": 3, "attempts": 1}}})");
  execution_.max_retries = 0;
  EXPECT_EQ(run().code, ExitCode::kOk);
  ASSERT_EQ(attempts(0).size(), 2U);
  EXPECT_EQ(attempts(0)[0].end, AttemptEnd::kCheckpointed);
  expect_each_completed_once();
}

TEST_F(Queue, StoppingAtTheSameCheckpointForEverIsAFailure) {
  behave(R"({"runs": {"base-s1": {"how": "checkpoint", "at": 3}}})");
  execution_.max_retries = 1;
  EXPECT_EQ(run().code, ExitCode::kRunFailed);
  EXPECT_EQ(attempts(0).size(), 3U);  // one that got to step 3, two that did not get further
}

TEST_F(Queue, WantOfResourcesEndsTheSessionAndTheNextCompletesIt) {
  options_.jobs = 1;
  behave(R"({"runs": {"qknorm-s1": {"how": "exit", "code": 6, "attempts": 1}}})");
  const auto summary = run();
  EXPECT_EQ(summary.exit_status(), 6);
  EXPECT_THAT(summary.problem, HasSubstr(plan_[1].id));
  EXPECT_EQ(summary.runs.finished, 1U);
  EXPECT_EQ(summary.runs.interrupted, 1U);
  EXPECT_EQ(summary.runs.waiting, 2U);
  EXPECT_EQ(run().code, ExitCode::kOk);
  expect_each_completed_once();
}

TEST_F(Queue, TooLittleMemoryForOneWorkerIsSaidBeforeAnythingStarts) {
  options_.memory_bytes = [](const RunSpec&) { return std::uint64_t{1} << 60; };
  const auto summary = run();
  EXPECT_EQ(summary.exit_status(), 6);
  EXPECT_THAT(summary.problem, HasSubstr("memory"));
  EXPECT_EQ(summary.runs.waiting, 4U);
}

TEST_F(Queue, EndsAHungWorkerAndRetriesIt) {
  behave(R"({"runs": {"base-s1": {"how": "hang", "at": 2, "attempts": 1}}})");
  execution_.hang_seconds = 2;
  EXPECT_EQ(run().code, ExitCode::kOk);
  ASSERT_GE(attempts(0).size(), 2U);
  EXPECT_EQ(attempts(0)[0].end, AttemptEnd::kHung);
  EXPECT_EQ(attempts(0)[0].status, "exit 75");
  expect_each_completed_once();
}

TEST_F(Queue, KillsAHungWorkerThatIsDeafToTheRequest) {
  behave(R"({"runs": {"base-s1": {"how": "obstinate", "at": 2, "attempts": 1}}})");
  execution_.hang_seconds = 2;
  EXPECT_EQ(run().code, ExitCode::kOk);
  ASSERT_GE(attempts(0).size(), 2U);
  EXPECT_EQ(attempts(0)[0].end, AttemptEnd::kHung);
  EXPECT_EQ(attempts(0)[0].status, "signal 9 (Killed)");
}

TEST_F(Queue, ASecondOrchestratorIsRefusedByName) {
  const auto owner = Claim::try_take(sweep_.owner(), 0, "first");
  try {
    run();
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kOwned);
    EXPECT_THAT(e.what(), HasSubstr(std::to_string(::getpid())));
    EXPECT_THAT(e.what(), HasSubstr(self_identity().host));
  }
  EXPECT_FALSE(std::filesystem::exists(sweep_.runs()));
}

TEST_F(Queue, LeavesARunToALiveWorkerThatItDidNotStart) {
  std::filesystem::create_directories(run_dir(0).path);
  const auto claim = Claim::try_take(run_dir(0).claim(), 1, "somebody");
  options_.timing.claim_patience_s = 2.5;
  const auto summary = run();
  EXPECT_EQ(summary.code, ExitCode::kIncomplete);
  EXPECT_EQ(summary.exit_status(), 4);
  EXPECT_EQ(summary.runs.elsewhere, 1U);
  EXPECT_TRUE(view_.said("waiting for process"));
  EXPECT_TRUE(view_.said("left to it"));
  EXPECT_EQ(summary.runs.finished, 3U);
  EXPECT_EQ(completions(0), 0U);
  EXPECT_TRUE(attempts(0).empty());
}

TEST_F(Queue, TakesAClaimOverWhosePidNowBelongsToAnotherProcess) {
  ProcessIdentity dead = self_identity();
  dead.start = "1";
  std::filesystem::create_directories(run_dir(0).path);
  publish(run_dir(0).claim(), to_line({{"host", dead.host},
                                       {"boot_id", dead.boot_id},
                                       {"pid", dead.pid},
                                       {"start", dead.start},
                                       {"attempt", 1},
                                       {"token", "t"},
                                       {"since", "2026-01-01T00:00:00Z"}}));
  EXPECT_EQ(run().code, ExitCode::kOk);
  expect_each_completed_once();
}

TEST_F(Queue, CapsWorkersAtTheCoresAndSaysSo) {
  options_.jobs = worker_cores() + 3;
  run();
  EXPECT_TRUE(view_.said(fmt::format("using {}", worker_cores())));
  EXPECT_LE(view_.most_active, static_cast<std::size_t>(worker_cores()));
}

TEST_F(Queue, LeavesAnAuditTrailWithoutLosses) {
  options_.jobs = 1;
  behave(R"({"runs": {"base-s1": {"how": "exit", "code": 1, "attempts": 1}}})");
  run();
  EXPECT_THAT(events(), ElementsAre("started", "retry", "finished", "finished", "finished",
                                    "finished", "stopped"));
  const std::string trail = read_file(sweep_.events());
  EXPECT_THAT(trail, HasSubstr(R"("reason":"test")"));
  EXPECT_THAT(trail, HasSubstr(R"("reason":"exit 1")"));
  EXPECT_THAT(trail, testing::Not(HasSubstr("loss")));
}

TEST_F(Queue, StoresNoPathOfTheSweepInItsTrail) {
  behave(R"({"runs": {"base-s1": {"how": "exit", "code": 2}}})");
  std::filesystem::create_directories(run_dir(0).path);
  publish(run_dir(0).worker_log(), "cannot read " + run_dir(0).config().string() + "\n");
  run();
  const std::string trail = read_file(sweep_.events());
  EXPECT_THAT(trail, HasSubstr("cannot read runs/base-s1"));
  EXPECT_THAT(trail, testing::Not(HasSubstr(folder_.path().string())));
}

TEST_F(Queue, GivesTheSweepBack) {
  run();
  EXPECT_FALSE(owner_of(sweep_.owner()));
  EXPECT_EQ(read_file(sweep_.owner()), "");
}

}  // namespace
}  // namespace sweep
