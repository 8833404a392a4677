// What every executor must do, run for each of them, and what only the local pool does.
#include "queue/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "queue/local_pool.h"
#include "queue_fixture.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

/// One kind of executor, under the name that its tests carry.
struct Kind {
  std::string name;
  std::function<std::unique_ptr<Executor>(int jobs)> make;
  friend std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }
};

std::unique_ptr<Executor> make_local_pool(int jobs) {
  LocalPoolOptions options;
  options.trainer = STUB_TRAINER;
  options.jobs = jobs;
  return std::make_unique<LocalPool>(std::move(options));
}

class ExecutorTest : public QueueTest, public testing::WithParamInterface<Kind> {
 protected:
  WorkOrder order(std::size_t i) {
    std::filesystem::create_directories(run_dir(i).path);
    publish(run_dir(i).config(), to_text(to_json(plan_[i])));
    return {run_dir(i), &plan_[i], 1, 60};
  }

  /// The next `n` ends, by run.
  static std::map<std::string, WorkerEnd> wait_for_ends(Executor& executor, std::size_t n) {
    std::map<std::string, WorkerEnd> ends;
    eventually([&] {
      executor.wait(-1, 0.05);
      for (const auto& end : executor.reap()) ends[end.run] = end;
      return ends.size() == n;
    });
    EXPECT_EQ(ends.size(), n);
    return ends;
  }

  bool is_working(std::size_t i) const { return std::filesystem::exists(run_dir(i).timing()); }
};

TEST_P(ExecutorTest, CarriesARunOut) {
  const auto executor = GetParam().make(1);
  const auto started = executor->start(order(0));
  EXPECT_FALSE(started.host.empty());
  const auto end = wait_for_ends(*executor, 1)[plan_[0].id];
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.status, "exit 0");
  EXPECT_TRUE(read_result(run_dir(0)));
  EXPECT_TRUE(executor->reap().empty());
}

TEST_P(ExecutorTest, TakesNoMoreThanItsJobs) {
  behave(R"({"how": "hang", "at": 1})");
  const auto executor = GetParam().make(2);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(executor->room_for(plan_[i]), Executor::Room::kFree);
    executor->start(order(i));
  }
  EXPECT_EQ(executor->room_for(plan_[2]), Executor::Room::kBusy);
  for (const std::size_t i : {0U, 1U}) executor->stop(plan_[i].id, Stop::kNow);
  wait_for_ends(*executor, 2);
  EXPECT_EQ(executor->room_for(plan_[2]), Executor::Room::kFree);
}

TEST_P(ExecutorTest, StopsTheNamedWorkerAtACheckpoint) {
  behave(R"({"how": "hang", "at": 1})");
  const auto executor = GetParam().make(2);
  executor->start(order(0));
  executor->start(order(1));
  ASSERT_TRUE(eventually([&] { return is_working(0) && is_working(1); }));
  executor->stop(plan_[1].id, Stop::kAtCheckpoint);
  EXPECT_EQ(wait_for_ends(*executor, 1)[plan_[1].id].exit_code, kExitCheckpointed);
  EXPECT_TRUE(std::filesystem::exists(run_dir(1).checkpoint_a()));
  executor->stop(plan_[0].id, Stop::kNow);
  EXPECT_EQ(wait_for_ends(*executor, 1)[plan_[0].id].status, "signal 9 (Killed)");
}

TEST_P(ExecutorTest, StoppingWhatHasEndedIsHarmless) {
  const auto executor = GetParam().make(1);
  executor->start(order(0));
  wait_for_ends(*executor, 1);
  executor->stop(plan_[0].id, Stop::kNow);
  executor->stop("never started", Stop::kAtCheckpoint);
}

TEST_P(ExecutorTest, WaitWakesForADescriptor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const auto executor = GetParam().make(1);
  executor->wait(ends[0], 600);  // the test's time limit is the assertion
  ::close(ends[0]);
  ::close(ends[1]);
}

INSTANTIATE_TEST_SUITE_P(All, ExecutorTest, testing::Values(Kind{"local_pool", make_local_pool}));

class LocalPoolTest : public ExecutorTest {
 protected:
  LocalPoolOptions pool_options(int jobs) {
    LocalPoolOptions options;
    options.trainer = STUB_TRAINER;
    options.jobs = jobs;
    options.cpus = {0};
    options.core_folder = folder_ / "cores";
    return options;
  }
};

TEST_F(LocalPoolTest, StartsOnlyWhatFitsIntoMemory) {
  behave(R"({"how": "hang", "at": 1})");
  auto options = pool_options(4);
  options.memory_bytes = [](const RunSpec&) { return std::uint64_t{1} << 40; };
  options.available_memory = [] { return (std::uint64_t{1} << 40) + (std::uint64_t{1} << 39); };
  LocalPool pool(options);
  EXPECT_EQ(pool.room_for(plan_[0]), Executor::Room::kFree);
  pool.start(order(0));
  // The first has not touched its memory yet, so half of what is free is spoken for.
  EXPECT_EQ(pool.room_for(plan_[1]), Executor::Room::kNoMemory);
  EXPECT_EQ(pool.memory_shortage(plan_[1]), "a run needs about 1.1 TB, 1.6 TB are free");
  pool.stop(plan_[0].id, Stop::kNow);
  wait_for_ends(pool, 1);
  EXPECT_EQ(pool.room_for(plan_[1]), Executor::Room::kFree);
}

TEST_F(LocalPoolTest, LearnsFromWorkersHowMuchMemoryTheyNeed) {
  auto options = pool_options(1);
  std::uint64_t available = 1;
  options.available_memory = [&] { return available; };
  LocalPool pool(options);
  pool.start(order(0));
  wait_for_ends(pool, 1);
  EXPECT_EQ(pool.room_for(plan_[1]), Executor::Room::kNoMemory);
  available = std::uint64_t{1} << 40;
  EXPECT_EQ(pool.room_for(plan_[1]), Executor::Room::kFree);
}

TEST_F(LocalPoolTest, SaysWhenAWorkerHasNoCoreOfItsOwn) {
  behave(R"({"how": "hang", "at": 1})");
  LocalPool pool(pool_options(2));
  EXPECT_EQ(pool.start(order(0)).notice, "");
  EXPECT_NE(pool.start(order(1)).notice, "");
  for (const std::size_t i : {0U, 1U}) pool.stop(plan_[i].id, Stop::kNow);
  wait_for_ends(pool, 2);
  EXPECT_EQ(pool.start(order(2)).notice, "");
  pool.stop(plan_[2].id, Stop::kNow);
  wait_for_ends(pool, 1);
}

TEST_F(LocalPoolTest, AMissingTrainerIsAWantOfResources) {
  auto options = pool_options(1);
  options.trainer = folder_ / "no-trainer";
  LocalPool pool(options);
  try {
    pool.start(order(0));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kResources);
  }
}

}  // namespace
}  // namespace sweep
