#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "sweep/base/version.h"
#include "sweep/prereg/hypotheses.h"
#include "sweep/prereg/prereg.h"

namespace sweep {
namespace {

using testing::ElementsAre;

Prereg example(const std::string& name) {
  return load_prereg(std::filesystem::path(source_folder()) / "sweeps" / name);
}

std::vector<RunSpec> plan_of(const Prereg& prereg) {
  CorpusFacts facts;
  facts.hash = "0";
  facts.vocab_size = 65;
  facts.train_tokens = 1'000'000;
  facts.val_tokens = 200'000;
  CorpusTable table;
  for (const DataConfig& data : data_configs(prereg)) table[corpus_key(data)] = facts;
  return expand(prereg, table);
}

TEST(ExampleSweeps, DemoIsFortyRunsOfTheMeasuredDesign) {
  const Prereg demo = example("demo.yaml");
  const auto plan = plan_of(demo);
  ASSERT_EQ(plan.size(), 40U);
  const Config& c = plan.front().config;
  EXPECT_EQ(c.data.corpus, "kjv");
  EXPECT_EQ(c.model.n_embd, 64);
  EXPECT_EQ(c.model.n_head, 2);
  EXPECT_EQ(c.model.block_size, 64);
  EXPECT_EQ(c.train.batch_size, 16);
  EXPECT_EQ(c.train.max_iters, 600);
  EXPECT_EQ(c.train.warmup_iters, 60);
  EXPECT_EQ(c.train.min_lr_ratio, 0.1);
  EXPECT_EQ(c.train.weight_decay, 0.1);
  EXPECT_EQ(c.train.beta2, 0.95);
  EXPECT_EQ(c.measure.eval_tokens, 16384);
  EXPECT_EQ(c.measure.eval_interval, 50);
  EXPECT_EQ(demo.hypotheses.size(), 3U);
}

TEST(ExampleSweeps, SmokeNeedsNoData) {
  const auto plan = plan_of(example("smoke.yaml"));
  EXPECT_EQ(plan.size(), 16U);
  EXPECT_EQ(plan.front().config.data.corpus, "synthetic");
}

TEST(ExampleSweeps, LaptopIsNanogptsRecipe) {
  const Prereg laptop = example("nanogpt_laptop.yaml");
  const auto plan = plan_of(laptop);
  ASSERT_EQ(plan.size(), 6U);
  const Config& c = plan.front().config;
  EXPECT_EQ(c.train.max_iters, 2000);
  EXPECT_EQ(c.train.min_lr, 1e-4);
  EXPECT_EQ(c.train.min_lr_ratio, 0);
  EXPECT_EQ(c.train.beta2, 0.99);
  EXPECT_THAT(c.data.files, ElementsAre("input.txt"));
}

std::size_t main_runs(const std::vector<RunSpec>& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.begin(), plan.end(), [](const RunSpec& spec) { return spec.block == "main"; }));
}

TEST(ExampleSweeps, StudyDecidesWhatItsDraftLeftOpen) {
  const Prereg study = example("qk_norm.yaml");
  const auto plan = plan_of(study);
  EXPECT_EQ(main_runs(plan), 312U);
  const Config& c = plan.front().config;
  EXPECT_EQ(c.train.warmup_iters * 20, c.train.max_iters);
  EXPECT_EQ(c.train.weight_decay_mode, WeightDecayMode::kCoupled);
  EXPECT_EQ(c.train.dtype, Dtype::kFloat32);
  EXPECT_EQ(c.model.parametrization, "standard");
  EXPECT_EQ(study.seeds.size(), 3U);
  EXPECT_EQ(degraded_delta(study.definitions), 0.3);
  EXPECT_EQ(hypotheses_of(study).size(), 3U);
  EXPECT_FALSE(study.pilot.is_null());
  std::set<double> rates;
  for (const RunSpec& spec : plan) rates.insert(spec.config.train.learning_rate);
  EXPECT_EQ(rates.size(), 13U);
  for (const double wortsman : {3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1}) {
    EXPECT_EQ(rates.count(wortsman), 1U) << wortsman;
  }
}

TEST(ExampleSweeps, TwelveMillionHoldSizeWhileDepthMoves) {
  const auto plan = plan_of(example("qk_norm_12m.yaml"));
  EXPECT_EQ(main_runs(plan), 312U);
  std::set<std::int64_t> depths;
  for (const RunSpec& spec : plan) {
    const ModelConfig& model = spec.config.model;
    depths.insert(model.n_layer);
    EXPECT_EQ(model.n_embd / model.n_head, 48);
    EXPECT_GE(count_parameters(model).non_embedding, 10'800'000) << spec.id;
    EXPECT_LE(count_parameters(model).non_embedding, 12'000'000) << spec.id;
  }
  EXPECT_THAT(depths, ElementsAre(2, 4, 8, 12));
}

}  // namespace
}  // namespace sweep
