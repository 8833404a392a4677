#include "gpt/worker.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "gpt/run_fixture.h"
#include "gpt/safetensors.h"
#include "sweep/base/error.h"
#include "sweep/base/hash.h"
#include "sweep/record/claim.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::SizeIs;

const StopReason kNever = [] { return std::nullopt; };

/// Stops, in an orderly way, at the `count`-th step boundary of the attempt.
StopReason stop_at_boundary(int count) {
  return [left = count]() mutable -> std::optional<std::string> {
    if (left-- > 0) return std::nullopt;
    return "a test";
  };
}

struct Killed {};

/// Ends the attempt there without any farewell, as SIGKILL does.
StopReason die_at_boundary(int count) {
  return [left = count]() mutable -> std::optional<std::string> {
    if (left-- > 0) return std::nullopt;
    throw Killed{};
  };
}

WorkerOptions options_for(const RunFixture& fixture, double checkpoint_seconds = 1e9) {
  WorkerOptions options;
  options.run_dir = fixture.run().path;
  options.checkpoint_seconds = checkpoint_seconds;
  return options;
}

int work(const RunFixture& fixture, const StopReason& stop = kNever,
         double checkpoint_seconds = 1e9) {
  return work_on_run(options_for(fixture, checkpoint_seconds), stop);
}

RunBytes uninterrupted(const Config& config = tiny_run_config()) {
  const RunFixture fixture(config);
  EXPECT_EQ(work(fixture), 0);
  return bytes_of(fixture.run());
}

void append_torn_line(const std::filesystem::path& file) {
  std::ofstream(file, std::ios::app) << R"({"step":99,"train_)";
}

std::vector<std::int64_t> steps_with(const RunDir& run,
                                     std::optional<double> MetricPoint::* quantity) {
  std::vector<std::int64_t> steps;
  for (const MetricPoint& point : read_metrics(run.metrics())) {
    if (point.*quantity) steps.push_back(point.step);
  }
  return steps;
}

TEST(Worker, CarriesARunToItsResult) {
  const RunFixture fixture;
  EXPECT_EQ(work(fixture), 0);
  const RunResult result = read_result(fixture.run()).value();
  EXPECT_EQ(result.id, "base-s1");
  EXPECT_EQ(result.outcome, (RunOutcome{RunOutcome::Kind::kCompleted, 12, ""}));
  EXPECT_GT(result.initial_val_loss, result.final_val_loss);
  EXPECT_EQ(result.tokens_seen, 12 * 4 * 16);
  EXPECT_EQ(result.config_hash, sha256_of_file(fixture.run().config()));
  EXPECT_EQ(result.metrics_hash, sha256_of_file(fixture.run().metrics()));
  EXPECT_EQ(result.weights_hash, sha256_of_file(fixture.run().final_weights()));
  EXPECT_THAT(result.numeric_identity, SizeIs(64));
  EXPECT_FALSE(std::filesystem::exists(fixture.run().checkpoint_a()));
  EXPECT_FALSE(std::filesystem::exists(fixture.run().checkpoint_b()));
}

TEST(Worker, MeasuresAtTheStartAtEveryIntervalAndAtTheEnd) {
  const RunFixture fixture;
  work(fixture);
  EXPECT_THAT(steps_with(fixture.run(), &MetricPoint::val_loss), ElementsAre(0, 5, 10, 12));
  EXPECT_THAT(steps_with(fixture.run(), &MetricPoint::train_loss),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(read_metrics(fixture.run().metrics()), SizeIs(13));
  const RunResult result = read_result(fixture.run()).value();
  const auto points = read_metrics(fixture.run().metrics());
  EXPECT_EQ(points.front().val_loss, result.initial_val_loss);
  EXPECT_EQ(points.back().val_loss, result.final_val_loss);
  EXPECT_EQ(points.back().train_loss, result.final_train_loss);
}

TEST(Worker, LogsTrainingEverySoManyUpdatesAndTheLastOne) {
  Config config = tiny_run_config();
  config.measure.log_interval = 5;
  config.measure.eval_interval = 4;
  const RunFixture fixture(config);
  work(fixture);
  EXPECT_THAT(steps_with(fixture.run(), &MetricPoint::train_loss), ElementsAre(5, 10, 12));
  EXPECT_THAT(steps_with(fixture.run(), &MetricPoint::val_loss), ElementsAre(0, 4, 8, 12));
}

TEST(Worker, WritesTimesIntoTimingAndNowhereElse) {
  const RunFixture fixture;
  work(fixture);
  const auto lines = read_lines(fixture.run().timing());
  ASSERT_THAT(lines, SizeIs(Gt(1U)));
  const Json first = Json::parse(lines.front());
  const Json last = Json::parse(lines.back());
  EXPECT_EQ(first["step"], 0);
  EXPECT_EQ(last["step"], 12);
  EXPECT_EQ(last["max_iters"], 12);
  EXPECT_GT(last["wall_s"], 0);
  EXPECT_GT(last["tokens_per_s"], 0);
}

TEST(Worker, MakesTheSameBytesTwice) { EXPECT_EQ(uninterrupted(), uninterrupted()); }

TEST(Worker, MakesTheSameWeightsHoweverOftenItEvaluates) {
  Config often = tiny_run_config();
  often.measure.eval_interval = 1;
  often.measure.log_interval = 3;
  EXPECT_EQ(uninterrupted(often).weights, uninterrupted().weights);
}

TEST(Worker, StoppedAtAnyStepAndCarriedOnMakesTheSameBytes) {
  const RunBytes expected = uninterrupted();
  for (int boundary = 0; boundary <= 12; ++boundary) {
    const RunFixture fixture;
    EXPECT_EQ(work(fixture, stop_at_boundary(boundary)), kExitCheckpointed) << boundary;
    EXPECT_FALSE(std::filesystem::exists(fixture.run().result()));
    EXPECT_EQ(work(fixture), 0);
    EXPECT_EQ(bytes_of(fixture.run()), expected) << boundary;
  }
}

TEST(Worker, StoppedAfterEveryStepMakesTheSameBytes) {
  const RunFixture fixture;
  int attempts = 1;
  while (work(fixture, stop_at_boundary(2)) == kExitCheckpointed) ++attempts;
  EXPECT_EQ(attempts, 12);
  EXPECT_EQ(bytes_of(fixture.run()), uninterrupted());
}

TEST(Worker, KilledAtAnyStepMakesTheSameBytes) {
  const RunBytes expected = uninterrupted();
  for (const double checkpoint_seconds : {0.0, 1e9}) {
    for (int boundary = 0; boundary <= 12; ++boundary) {
      const RunFixture fixture;
      EXPECT_THROW(work(fixture, die_at_boundary(boundary), checkpoint_seconds), Killed);
      append_torn_line(fixture.run().metrics());
      append_torn_line(fixture.run().timing());
      EXPECT_EQ(work(fixture), 0);
      EXPECT_EQ(bytes_of(fixture.run()), expected) << boundary << ", " << checkpoint_seconds;
    }
  }
}

class WorkerWithCheckpoints : public testing::Test {
 protected:
  WorkerWithCheckpoints() {
    EXPECT_THROW(work(fixture_, die_at_boundary(8), 0), Killed);
    EXPECT_TRUE(std::filesystem::exists(fixture_.run().checkpoint_a()));
    EXPECT_TRUE(std::filesystem::exists(fixture_.run().checkpoint_b()));
  }

  void finishes_with_the_same_bytes() const {
    EXPECT_EQ(work(fixture_), 0);
    EXPECT_EQ(bytes_of(fixture_.run()), uninterrupted());
  }

  RunFixture fixture_;
};

TEST_F(WorkerWithCheckpoints, FallsBackToTheOlderWhenTheNewerIsCutOff) {
  for (const auto& file : {fixture_.run().checkpoint_a(), fixture_.run().checkpoint_b()}) {
    const std::string whole = read_file(file);
    truncate_file(file, whole.size() / 2);
    EXPECT_EQ(work(fixture_, stop_at_boundary(0)), kExitCheckpointed);
    publish(file, whole);
  }
  truncate_file(fixture_.run().checkpoint_a(), 100);
  finishes_with_the_same_bytes();
}

TEST_F(WorkerWithCheckpoints, StartsOverWhenBothAreDamaged) {
  publish(fixture_.run().checkpoint_a(), "");
  publish(fixture_.run().checkpoint_b(), std::string(1000, 'x'));
  finishes_with_the_same_bytes();
}

TEST_F(WorkerWithCheckpoints, StartsOverWhenBothAreMissing) {
  std::filesystem::remove(fixture_.run().checkpoint_a());
  std::filesystem::remove(fixture_.run().checkpoint_b());
  finishes_with_the_same_bytes();
}

TEST_F(WorkerWithCheckpoints, StartsOverWhenTheMetricsTheyNeedAreLost) {
  truncate_file(fixture_.run().metrics(), 10);
  finishes_with_the_same_bytes();
}

TEST(Worker, MeasuresTheMechanismAtItsStepsAndChangesNothingElse) {
  Config config = tiny_run_config();
  config.measure.mechanism = find_field("measure.mechanism")->choices;
  config.measure.mechanism_iters = {0, 3, 12};
  const RunFixture watched(config);
  work(watched, stop_at_boundary(4));
  work(watched);
  std::vector<std::int64_t> steps;
  for (const MetricPoint& point : read_metrics(watched.run().metrics())) {
    if (!point.mechanism.empty()) steps.push_back(point.step);
  }
  EXPECT_THAT(steps, ElementsAre(0, 3, 12));
  const RunFixture alone;
  work(alone);
  EXPECT_EQ(bytes_of(watched.run()).weights, bytes_of(alone.run()).weights);
  EXPECT_EQ(read_result(watched.run())->final_val_loss, read_result(alone.run())->final_val_loss);
}

TEST(Worker, RecordsANonFiniteRunAsAResult) {
  Config config = tiny_run_config();
  config.train.learning_rate = 1000;
  config.train.grad_clip = 0;
  config.train.max_iters = 60;
  const RunFixture fixture(config);
  EXPECT_EQ(work(fixture), 0);
  const RunResult result = read_result(fixture.run()).value();
  EXPECT_EQ(result.outcome.kind, RunOutcome::Kind::kNonfinite);
  EXPECT_GT(result.outcome.step, 0);
  EXPECT_LT(result.outcome.step, 60);
  EXPECT_FALSE(result.outcome.quantity.empty());
  EXPECT_TRUE(std::isnan(result.final_val_loss));
  EXPECT_TRUE(std::isfinite(result.initial_val_loss));
  EXPECT_EQ(read_metrics(fixture.run().metrics()).back().step, result.outcome.step);
  EXPECT_TRUE(std::filesystem::exists(fixture.run().final_weights()));
  EXPECT_EQ(bytes_of(fixture.run()), uninterrupted(config));
}

TEST(Worker, HasNothingToDoWhereAResultIs) {
  const RunFixture fixture;
  work(fixture);
  const RunBytes before = bytes_of(fixture.run());
  publish(fixture.run().checkpoint_a(), "left behind by a crash");
  EXPECT_EQ(work(fixture, die_at_boundary(0)), 0);
  EXPECT_EQ(bytes_of(fixture.run()), before);
  EXPECT_FALSE(std::filesystem::exists(fixture.run().checkpoint_a()));
}

ExitCode refusal(const RunFixture& fixture) {
  try {
    work(fixture);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::kOk;
}

TEST(Worker, LeavesARunAloneThatSomebodyElseLivesOn) {
  const RunFixture fixture;
  const auto claim = Claim::try_take(fixture.run().claim(), 1, "another");
  ASSERT_TRUE(claim.has_value());
  EXPECT_EQ(refusal(fixture), ExitCode::kOwned);
  EXPECT_FALSE(std::filesystem::exists(fixture.run().metrics()));
}

TEST(Worker, DoesNotPublishOnceItHasBeenSuperseded) {
  const RunFixture fixture;
  const StopReason supersede = [&]() -> std::optional<std::string> {
    Json claim = read_json(fixture.run().claim());
    claim["token"] = "another";
    std::ofstream(fixture.run().claim()) << to_line(claim);
    return std::nullopt;
  };
  try {
    work(fixture, supersede);
    FAIL() << "it should have noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kOwned);
  }
  EXPECT_FALSE(std::filesystem::exists(fixture.run().result()));
}

TEST(Worker, RefusesTokensThatAreNotTheRegisteredOnes) {
  const RunFixture fixture;
  const auto file = fixture.run().data() / (fixture.spec().data.hash + ".bin");
  std::string tokens = read_file(file);
  tokens[0] = static_cast<char>(tokens[0] ^ 1);
  publish(file, tokens);
  EXPECT_EQ(refusal(fixture), ExitCode::kBadInput);
  std::filesystem::remove(file);
  EXPECT_EQ(refusal(fixture), ExitCode::kBadInput);
}

TEST(Worker, HoldsItsClaimUntilItEnds) {
  const RunFixture fixture;
  const StopReason look = [&]() -> std::optional<std::string> {
    const auto owner = owner_of(fixture.run().claim());
    EXPECT_TRUE(owner.has_value());
    EXPECT_EQ(owner->attempt, 3);
    EXPECT_EQ(owner->token, "mine");
    return std::nullopt;
  };
  WorkerOptions options = options_for(fixture);
  options.attempt = 3;
  options.token = "mine";
  work_on_run(options, look);
  EXPECT_FALSE(owner_of(fixture.run().claim()).has_value());
}

TEST(Worker, TrainsInDoublePrecision) {
  Config config = tiny_run_config();
  config.train.dtype = Dtype::kFloat64;
  const RunBytes bytes = uninterrupted(config);
  EXPECT_EQ(parse_safetensors(bytes.weights, "weights").tensors.front().dtype, "F64");
}

}  // namespace
}  // namespace sweep
