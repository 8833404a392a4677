// What holds of the program `sweep-train` as a process: signals, kills, exit statuses. This test
// loads no LibTorch itself.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <thread>

#include "gpt/run_fixture.h"
#include "sweep/base/capture.h"
#include "sweep/base/error.h"
#include "sweep/base/machine.h"
#include "sweep/base/process.h"
#include "sweep/record/claim.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = SWEEP_TRAIN_PROGRAM;

/// Waits for something that is sure to come; the limit only ends a broken test.
void wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  FAIL() << "nothing came within two minutes";
}

/// An endless run for tests that stop it.
Config long_config() {
  Config config = tiny_run_config();
  config.train.max_iters = 10'000'000;
  config.measure.eval_interval = 10'000'000;
  return config;
}

class Program : public testing::Test {
 protected:
  Child start(const RunFixture& fixture, const std::vector<std::string>& more = {},
              const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> argv{kProgram, fixture.run().path.string(), "--lifeline",
                                  std::to_string(Child::kLifelineFd)};
    argv.insert(argv.end(), more.begin(), more.end());
    return Child::spawn({argv, fixture.run().worker_log(), environment});
  }

  static int status_of(Child& child) {
    wait_until([&] { return child.poll().has_value(); });
    return child.poll().value_or(-1);
  }

  static std::string exit_of(Child& child) { return describe_status(status_of(child)); }

  std::string outcome(const RunFixture& fixture, const std::vector<std::string>& more = {},
                      const std::vector<std::string>& environment = {}) const {
    Child child = start(fixture, more, environment);
    return exit_of(child);
  }

  static void wait_for_steps(const RunFixture& fixture, std::size_t lines) {
    wait_until([&] { return read_lines(fixture.run().metrics()).size() >= lines; });
  }

  static std::string log_of(const RunFixture& fixture) {
    return read_file(fixture.run().worker_log());
  }
};

TEST_F(Program, CarriesARunToItsResult) {
  const RunFixture fixture;
  EXPECT_EQ(outcome(fixture), "exit 0");
  EXPECT_TRUE(read_result(fixture.run()).has_value());
  EXPECT_THAT(log_of(fixture), HasSubstr("finished at step 12"));
  EXPECT_EQ(outcome(fixture), "exit 0");
}

TEST_F(Program, MakesTheSameBytesOnEveryCore) {
  const std::vector<int> cpus = usable_cpus();
  const RunFixture first;
  const RunFixture last;
  EXPECT_EQ(outcome(first, {"--cpu", std::to_string(cpus.front())}), "exit 0");
  EXPECT_EQ(outcome(last, {"--cpu", std::to_string(cpus.back())}), "exit 0");
  EXPECT_EQ(bytes_of(first.run()), bytes_of(last.run()));
}

TEST_F(Program, KilledAtARandomMomentAndStartedAgainMakesTheSameBytes) {
  Config config = tiny_run_config();
  config.train.max_iters = 60;
  const RunFixture whole(config);
  EXPECT_EQ(outcome(whole), "exit 0");
  const RunFixture killed(config);
  for (const std::size_t lines : {3U, 20U, 40U}) {
    Child child = start(killed, {"--checkpoint-seconds", "0"});
    wait_until([&] {
      return child.poll().has_value() || read_lines(killed.run().metrics()).size() >= lines;
    });
    child.signal(SIGKILL);
    status_of(child);
  }
  EXPECT_EQ(outcome(killed), "exit 0");
  EXPECT_EQ(bytes_of(killed.run()), bytes_of(whole.run()));
}

TEST_F(Program, KilledAtAnyPointOfPublishingMakesTheSameBytes) {
  const RunFixture whole;
  EXPECT_EQ(outcome(whole), "exit 0");
  for (const char* file : {"checkpoint-b.safetensors", "final.safetensors", "result.json"}) {
    for (const char* point : {"created", "written", "synced", "renamed"}) {
      const RunFixture killed;
      const std::string at = fmt::format("SWEEP_CRASH_AT=publish.{}:{}", point, file);
      EXPECT_THAT(outcome(killed, {"--checkpoint-seconds", "0"}, {at}), HasSubstr("signal 9"))
          << at;
      EXPECT_EQ(outcome(killed), "exit 0");
      EXPECT_EQ(bytes_of(killed.run()), bytes_of(whole.run())) << at;
    }
  }
}

TEST_F(Program, StopsAtACheckpointWhenSignalledAndIsCarriedOn) {
  const RunFixture fixture(long_config());
  std::int64_t reached = 0;
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    Child child = start(fixture);
    wait_for_steps(fixture, static_cast<std::size_t>(reached) + 5);
    child.signal(number);
    EXPECT_EQ(exit_of(child), "exit 75") << log_of(fixture);
    const auto points = read_metrics(fixture.run().metrics());
    EXPECT_GT(points.back().step, reached);
    reached = points.back().step;
    EXPECT_FALSE(owner_of(fixture.run().claim()).has_value());
  }
  EXPECT_THAT(log_of(fixture), HasSubstr("carried on from step"));
  EXPECT_FALSE(std::filesystem::exists(fixture.run().result()));
}

TEST_F(Program, StopsAtACheckpointWhenItsOrchestratorEnds) {
  const RunFixture fixture(long_config());
  pid_t pid = -1;
  {
    const Child child = start(fixture);
    pid = child.pid();
    wait_for_steps(fixture, 5);
  }  // here the lifeline ends
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(describe_status(status), "exit 75");
  EXPECT_TRUE(std::filesystem::exists(fixture.run().checkpoint_a()));
}

TEST_F(Program, LeavesARunAloneThatAnotherWorksOn) {
  const RunFixture fixture(long_config());
  Child first = start(fixture);
  wait_for_steps(fixture, 2);
  EXPECT_EQ(outcome(fixture), "exit 5");
  EXPECT_FALSE(first.poll().has_value());
  first.signal(SIGTERM);
  EXPECT_EQ(exit_of(first), "exit 75");
}

TEST_F(Program, RefusesAConfigThatCannotBeTrained) {
  const RunFixture fixture;
  publish(fixture.run().config(), "{\"id\":");
  EXPECT_EQ(outcome(fixture), "exit 2");
  std::filesystem::remove(fixture.run().config());
  EXPECT_EQ(outcome(fixture), "exit 2");
}

/// A soft limit of this process and so of the children it starts, for this object's life.
class Limited {
 public:
  using Resource = decltype(RLIMIT_AS);

  Limited(Resource resource, rlim_t soft) : resource_(resource) {
    EXPECT_EQ(::getrlimit(resource, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = soft;
    EXPECT_EQ(::setrlimit(resource, &limit), 0);
  }
  ~Limited() { ::setrlimit(resource_, &before_); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  Resource resource_;
  rlimit before_{};
};

#ifndef __SANITIZE_ADDRESS__  // which reserves more than any limit
TEST_F(Program, SaysThatMemoryRanOut) {
  Config config = tiny_run_config();
  config.model.n_embd = 16384;
  const RunFixture fixture(config);
  Child child = [&] {
    const Limited limited(RLIMIT_AS, rlim_t{4} << 30);
    return start(fixture);
  }();
  EXPECT_EQ(exit_of(child), "exit 6");
  EXPECT_THAT(log_of(fixture),
              AnyOf(HasSubstr("out of memory"), HasSubstr("no memory for a training step")));
  EXPECT_THAT(log_of(fixture), Not(HasSubstr("frame #")));
}
#endif

TEST_F(Program, StopsWithAWordWhenNoFileMayGrowAndIsCarriedOnLater) {
  Config config = tiny_run_config();
  config.train.max_iters = 60;
  const RunFixture whole(config);
  EXPECT_EQ(outcome(whole), "exit 0");
  const RunFixture full(config);
  Child child = [&] {
    const Limited limited(RLIMIT_FSIZE, 4096);
    return start(full);
  }();
  EXPECT_EQ(exit_of(child), "exit 6");
  EXPECT_THAT(log_of(full), HasSubstr("make room"));
  EXPECT_EQ(outcome(full), "exit 0");
  EXPECT_EQ(bytes_of(full.run()), bytes_of(whole.run()));
}

TEST_F(Program, RefusesACommandLineThatItDoesNotKnow) {
  const std::vector<std::vector<std::string>> misuses{{},
                                                      {"--tokens", "x"},
                                                      {"--tok", "x"},
                                                      {"a", "b"},
                                                      {"a", "--identity"},
                                                      {"a", "--attempt", "x"},
                                                      {"--bench", "S", "--threads", "0"},
                                                      {"a", "--lifeline", "77"},
                                                      {"--bench", "S", "--qk-norm", "rms"}};
  for (const auto& misuse : misuses) {
    std::vector<std::string> argv{kProgram};
    argv.insert(argv.end(), misuse.begin(), misuse.end());
    const Captured captured = capture(argv);
    EXPECT_EQ(describe_status(captured.status), "exit 2")
        << fmt::format("{}", fmt::join(argv, " "));
    EXPECT_EQ(captured.output, "");
  }
}

TEST_F(Program, PrintsItsNumericIdentityAsOneLine) {
  const Captured captured = capture({kProgram, "--identity"});
  EXPECT_EQ(captured.status, 0);
  EXPECT_EQ(captured.output.find('\n'), captured.output.size() - 1);
  EXPECT_EQ(Json::parse(captured.output)["fingerprint"].get<std::string>().size(), 64U);
}

TEST_F(Program, ProbesARunWithoutItsFiles) {
  const RunFixture fixture;
  std::filesystem::remove_all(fixture.run().data());
  const Captured captured =
      capture({kProgram, "--probe", fixture.run().config().string(), "--steps", "2"});
  EXPECT_EQ(captured.status, 0);
  EXPECT_GT(Json::parse(captured.output)["seconds_per_step"], 0);
}

}  // namespace
}  // namespace sweep
