#include "gpt/bench.h"

#include <gmock/gmock.h>

#include <cmath>

#include "gpt/fma_peak.h"
#include "gpt/run_fixture.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(Bench, CountsOperationsAsNanogptDoes) {
  // Millions per token, worked out by hand from 6 (12 L d^2 + V d) + 12 L T d.
  EXPECT_NEAR(nominal_flops_per_token(bench_config("S")->model) * 1e-6, 5.16, 0.01);
  EXPECT_NEAR(nominal_flops_per_token(bench_config("B")->model) * 1e-6, 5.55, 0.01);
  EXPECT_NEAR(nominal_flops_per_token(bench_config("C")->model) * 1e-6, 39.3, 0.1);
  EXPECT_NEAR(nominal_flops_per_token(bench_config("A")->model) * 1e-6, 70.9, 0.1);
}

TEST(Bench, KnowsFourConfigsByName) {
  EXPECT_EQ(count_parameters(bench_config("B")->model).total, 812'288);
  EXPECT_FALSE(bench_config("D").has_value());
}

TEST(Bench, ReportsARateForEveryConfigItIsGiven) {
  BenchOptions options;
  options.config = "S";
  options.seconds = 0;
  const Json report = bench(options);
  EXPECT_EQ(report["config"], "S");
  EXPECT_EQ(report["steps"], 2);
  EXPECT_GT(report["tokens_per_s"], 0);
  EXPECT_GT(report["fma_share"], 0);
  EXPECT_NEAR(report["loss_1"], std::log(65), 0.1);
  EXPECT_TRUE(report["loss_20"].is_null());
}

TEST(Bench, TakesAConfigFileAndAnotherVariant) {
  const RunFixture fixture;
  BenchOptions options;
  options.config = fixture.run().config().string();
  options.seconds = 0;
  options.qk_norm = QkNorm::kRmsPerHead;
  EXPECT_EQ(bench(options)["qk_norm"], "rms_per_head");
}

TEST(Bench, SplitsAFusedStepIntoParts) {
  BenchOptions options;
  options.config = "S";
  options.seconds = 0;
  EXPECT_TRUE(bench(options)["ms_by_part"].is_null());
  options.path = KernelPath::kFused;
  const Json report = bench(options);
  EXPECT_EQ(report["kernel_path"], "fused");
  EXPECT_GT(report["ms_by_part"]["products"], 0);
  EXPECT_EQ(report["allocations_per_step"], 0);
  options.threads = 2;
  EXPECT_THROW(bench(options), Error);
}

TEST(Bench, MeasuresTheMechanismOnItsWayWithoutTouchingTheTraining) {
  BenchOptions options;
  options.config = "S";
  options.seconds = 0;
  options.path = KernelPath::kFused;
  const Json without = bench(options);
  EXPECT_EQ(without["ms_by_part"]["measuring"], 0);
  options.mechanism_every = 1;
  const Json with = bench(options);
  EXPECT_GT(with["ms_by_part"]["measuring"], 0);
  EXPECT_EQ(with["loss_1"], without["loss_1"]);
  options.path = KernelPath::kPlain;
  EXPECT_THROW(bench(options), Error);
}

TEST(Bench, RefusesAConfigThatIsNeitherANameNorAFile) {
  BenchOptions options;
  options.config = "Q";
  EXPECT_THROW(bench(options), Error);
}

TEST(Probe, PredictsFromAFewSteps) {
  const RunFixture fixture;
  const Json report = probe(fixture.spec(), 3, KernelPath::kFused);
  for (const char* key : {"seconds_per_step", "eval_seconds_per_token", "tokens_per_s", "startup_s",
                          "peak_rss_bytes"}) {
    EXPECT_GT(report[key], 0) << key;
  }
}

TEST(FmaPeak, IsARateThatAProcessorCanHave) {
  const double gflops = fma_peak_gflops();
  EXPECT_GT(gflops, 0.1);
  EXPECT_LT(gflops, 10'000);
}

}  // namespace
}  // namespace sweep
