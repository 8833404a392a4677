// Orchestrators as processes of their own, signalled and killed in the middle of their work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "queue_fixture.h"
#include "sweep/base/error.h"
#include "sweep/queue/status.h"
#include "sweep/record/claim.h"

namespace sweep {
namespace {

using testing::HasSubstr;

constexpr const char* kNeverEnding = R"({"how": "hang", "at": 2})";

class KilledQueue : public QueueTest {
 protected:
  Child start_driver(const std::vector<std::string>& environment = {}) {
    log_ = folder_ / "driver.log";
    return Child::spawn({{QUEUE_DRIVER, sweep_.path.string(), STUB_TRAINER}, log_, environment});
  }
  static std::string end_of(Child& child) {
    std::optional<int> status;
    eventually([&] { return (status = child.poll()).has_value(); });
    return status ? describe_status(*status) : "did not end";
  }
  /// Whether the first run's worker is at step 2, where it waits.
  bool first_is_working() const { return read_lines(run_dir(0).timing()).size() >= 3; }
  bool nothing_is_claimed() const {
    return std::all_of(plan_.begin(), plan_.end(),
                       [&](const RunSpec& spec) { return !owner_of(sweep_.run(spec.id).claim()); });
  }
  std::string log() const { return read_file(log_); }
  std::string results() const {
    std::string bytes;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      bytes += read_file(run_dir(i).result()) + read_file(run_dir(i).metrics());
    }
    return bytes;
  }

  std::filesystem::path log_;
};

TEST_F(KilledQueue, CtrlCStopsAtCheckpointsAndResumeCompletes) {
  behave(kNeverEnding);
  Child driver = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working(); }));
  driver.signal(SIGINT);
  EXPECT_EQ(end_of(driver), "exit 130") << log();
  EXPECT_THAT(log(), HasSubstr("stopping at checkpoints; Ctrl-C again to stop at once"));
  EXPECT_THAT(log(), HasSubstr("carry on with: sweep resume"));
  EXPECT_EQ(attempts(0).back().end, AttemptEnd::kStopped);
  EXPECT_TRUE(std::filesystem::exists(run_dir(0).checkpoint_a()));
  EXPECT_TRUE(nothing_is_claimed());
  behave("{}");
  EXPECT_EQ(run().code, ExitCode::kOk);
  expect_each_completed_once();
}

TEST_F(KilledQueue, TermAndHangupStopLikeCtrlCAndNeverEscalate) {
  behave(kNeverEnding);
  for (const int number : {SIGTERM, SIGHUP}) {
    const auto before = read_attempts(run_dir(0)).size();
    Child driver = start_driver();
    ASSERT_TRUE(eventually([&] {
      return read_attempts(run_dir(0)).size() > before && first_is_working() &&
             owner_of(run_dir(0).claim());
    }));
    driver.signal(SIGHUP);
    driver.signal(number);
    EXPECT_EQ(end_of(driver), "exit 143") << log();
    EXPECT_EQ(attempts(0).back().end, AttemptEnd::kStopped);
    EXPECT_EQ(attempts(0).back().status, "exit 75");
  }
}

TEST_F(KilledQueue, CtrlCTwiceKillsWorkers) {
  behave(R"({"how": "obstinate", "at": 2})");
  Child driver = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working(); }));
  driver.signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return log().find("Ctrl-C again") != std::string::npos; }));
  driver.signal(SIGINT);
  EXPECT_EQ(end_of(driver), "exit 130") << log();
  EXPECT_THAT(log(), HasSubstr("stopping at once"));
  EXPECT_EQ(attempts(0).back().end, AttemptEnd::kStopped);
  EXPECT_EQ(attempts(0).back().status, "signal 9 (Killed)");
  EXPECT_TRUE(nothing_is_claimed());
}

TEST_F(KilledQueue, AKilledOrchestratorsWorkersStopByThemselves) {
  behave(kNeverEnding);
  Child driver = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working(); }));
  driver.signal(SIGKILL);
  EXPECT_EQ(end_of(driver), "signal 9 (Killed)");
  EXPECT_TRUE(eventually([&] { return nothing_is_claimed(); }));
  EXPECT_TRUE(std::filesystem::exists(run_dir(0).checkpoint_a()));
  const SweepStatus status = read_status(sweep_);
  EXPECT_EQ(status.progress.runs.running, 0U);
  EXPECT_FALSE(status.owner);
}

TEST_F(KilledQueue, ResumeAfterKillGivesTheSameBytesAsNeverKilled) {
  run();
  const std::string uninterrupted = results();
  std::filesystem::remove_all(sweep_.path);
  make_sweep(2);
  behave(kNeverEnding);
  Child driver = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working(); }));
  driver.signal(SIGKILL);
  end_of(driver);
  behave("{}");
  EXPECT_EQ(run().code, ExitCode::kOk);  // at once: the old workers may still be at it
  expect_each_completed_once();
  EXPECT_EQ(results(), uninterrupted);
}

TEST_F(KilledQueue, IsWholeAfterADeathAtEveryLabelledPoint) {
  for (const char* point : {"queue.worker_started", "queue.worker_ended",
                            "publish.written:config.json", "publish.renamed:config.json"}) {
    Child driver = start_driver({fmt::format("SWEEP_CRASH_AT={}", point)});
    EXPECT_EQ(end_of(driver), "signal 9 (Killed)") << point;
    EXPECT_EQ(run().code, ExitCode::kOk) << point;
    expect_each_completed_once();
    std::filesystem::remove_all(sweep_.path);
    make_sweep(2);
  }
}

TEST_F(KilledQueue, IsWholeAfterAWorkersDeathAtEveryPointOfPublishingAResult) {
  run();
  const std::string uninterrupted = results();
  for (const char* point : {"created", "written", "synced", "renamed"}) {
    std::filesystem::remove_all(sweep_.path);
    make_sweep(2);
    execution_.max_retries = 0;
    ::setenv("SWEEP_CRASH_AT", fmt::format("publish.{}:result.json", point).c_str(), 1);
    const bool published = std::string(point) == "renamed";
    EXPECT_EQ(run().code, published ? ExitCode::kOk : ExitCode::kRunFailed) << point;
    EXPECT_EQ(attempts(0)[0].status, "signal 9 (Killed)") << point;
    ::unsetenv("SWEEP_CRASH_AT");
    EXPECT_EQ(run().code, ExitCode::kOk) << point;
    EXPECT_EQ(results(), uninterrupted) << point;
  }
}

TEST_F(KilledQueue, EightWorkersOnOneRunAreOneAndRefusals) {
  std::filesystem::create_directories(run_dir(0).path);
  publish(run_dir(0).config(), to_text(to_json(plan_[0])));
  std::vector<Child> workers;
  for (int i = 0; i < 8; ++i) {
    workers.push_back(Child::spawn(
        {{STUB_TRAINER, run_dir(0).path.string(), "--lifeline", std::to_string(Child::kLifelineFd)},
         run_dir(0).worker_log(),
         {R"(STUB_BEHAVIOUR={"step_ms": 20})"}}));
  }
  for (auto& worker : workers) EXPECT_THAT(end_of(worker), testing::AnyOf("exit 0", "exit 5"));
  EXPECT_EQ(completions(0), 1U);
  EXPECT_TRUE(read_result(run_dir(0)));
}

TEST_F(KilledQueue, TwoAtOnceAreOneAndARefusal) {
  behave(kNeverEnding);
  Child first = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working(); }));
  try {
    run();
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kOwned);
    EXPECT_THAT(e.what(), HasSubstr(std::to_string(first.pid())));
  }
  first.signal(SIGTERM);
  EXPECT_EQ(end_of(first), "exit 143");
}

TEST_F(KilledQueue, AKilledWorkerIsRetriedOnce) {
  behave(R"({"runs": {"base-s1": {"how": "hang", "at": 2, "attempts": 1}}})");
  Child driver = start_driver();
  ASSERT_TRUE(eventually([&] { return first_is_working() && !attempts(0).empty(); }));
  ::kill(static_cast<pid_t>(attempts(0)[0].pid), SIGKILL);
  EXPECT_EQ(end_of(driver), "exit 0") << log();
  expect_each_completed_once();
  ASSERT_EQ(attempts(0).size(), 2U);
  EXPECT_EQ(attempts(0)[0].status, "signal 9 (Killed)");
}

TEST_F(KilledQueue, AReaderThatGoesAwayDoesNotEndTheSweep) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  ViewOptions view_options;
  view_options.fd = ends[1];
  const auto view = make_progress_view(view_options);
  const auto summary = run_queue(sweep_, plan_, execution_, options_, *view);
  ::close(ends[1]);
  EXPECT_EQ(summary.code, ExitCode::kOk);
  expect_each_completed_once();
}

}  // namespace
}  // namespace sweep
