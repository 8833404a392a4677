// The loop alone, on an executor whose workers do what a test says.
#include "queue/orchestrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "queue_fixture.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Workers that never end unless `on_wait` ends them.
class FakeExecutor : public Executor {
 public:
  Room room_for(const RunSpec&) override {
    if (working.size() >= fits_in_memory) return Room::kNoMemory;
    return Room::kFree;
  }
  std::string memory_shortage(const RunSpec&) const override { return "too little"; }
  StartedWorker start(const WorkOrder& order) override {
    working.push_back(order.run.id());
    return {"here", 1, ""};
  }
  std::vector<WorkerEnd> reap() override { return std::exchange(ends, {}); }
  void stop(const std::string&, Stop how) override { (how == Stop::kNow ? kills : requests) += 1; }
  void wait(int, double) override { on_wait(++waits); }

  void finish(const SweepDir& sweep, const std::string& run) {
    publish(sweep.run(run).result(), "{}");
    ends.push_back({run, 0, 0, "exit 0", false});
    std::erase(working, run);
  }

  std::size_t fits_in_memory = 100;
  std::function<void(int)> on_wait;
  std::vector<std::string> working;
  std::vector<WorkerEnd> ends;
  int waits = 0;
  int requests = 0;
  int kills = 0;
};

class OrchestratorTest : public QueueTest {
 protected:
  QueueSummary orchestrate() {
    auto owner = Claim::try_take(sweep_.owner(), 0, "test");
    Orchestrator orchestrator({sweep_, execution_, options_.timing, executor_, view_, *owner},
                              plan_);
    return orchestrator.run();
  }
  FakeExecutor executor_;
};

TEST_F(OrchestratorTest, TheThirdCtrlCLeavesEvenWorkersThatCannotBeKilled) {
  executor_.on_wait = [](int) { ::raise(SIGINT); };
  const auto summary = orchestrate();
  EXPECT_EQ(summary.exit_status(), 130);
  EXPECT_EQ(executor_.waits, 3);
  EXPECT_EQ(executor_.requests, 4);
  EXPECT_EQ(executor_.kills, 4);
  EXPECT_EQ(summary.runs.running, 4U);
  EXPECT_THAT(describe(summary, sweep_), HasSubstr("4 left alone"));
}

TEST_F(OrchestratorTest, NothingStartsAfterARequestToStop) {
  executor_.fits_in_memory = 2;
  executor_.on_wait = [&](int n) {
    if (n == 1) ::raise(SIGTERM);
    if (n == 2) executor_.ends = {{plan_[0].id, 75, 0, "exit 75", false}};
    if (n == 3) executor_.ends = {{plan_[1].id, 75, 0, "exit 75", false}};
  };
  const auto summary = orchestrate();
  EXPECT_EQ(summary.exit_status(), 143);
  EXPECT_THAT(executor_.working, ElementsAre(plan_[0].id, plan_[1].id));
  EXPECT_EQ(summary.runs.interrupted, 2U);
  EXPECT_EQ(summary.runs.waiting, 2U);
}

TEST_F(OrchestratorTest, LittleMemoryMeansFewerAtOnceAndIsSaidOnce) {
  executor_.fits_in_memory = 1;
  executor_.on_wait = [&](int) { executor_.finish(sweep_, executor_.working.front()); };
  const auto summary = orchestrate();
  EXPECT_EQ(summary.code, ExitCode::kOk);
  EXPECT_EQ(view_.most_active, 1U);
  EXPECT_THAT(view_.messages, ElementsAre("memory limits how many runs go at once: too little"));
}

TEST_F(OrchestratorTest, ASweepTakenOverByAnotherOrchestratorIsLeftToIt) {
  auto owner = Claim::try_take(sweep_.owner(), 0, "first");
  publish(sweep_.owner(), R"({"host":"elsewhere","pid":9,"token":"second"})");
  Orchestrator orchestrator({sweep_, execution_, options_.timing, executor_, view_, *owner}, plan_);
  const auto summary = orchestrator.run();
  EXPECT_EQ(summary.code, ExitCode::kOwned);
  EXPECT_THAT(summary.problem, HasSubstr("elsewhere"));
  EXPECT_TRUE(executor_.working.empty());
}

}  // namespace
}  // namespace sweep
