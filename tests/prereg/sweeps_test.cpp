#include <gmock/gmock.h>

#include "sweep/base/version.h"
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
  facts.val_tokens = 100'000;
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

}  // namespace
}  // namespace sweep
