#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "prereg/sample.h"
#include "sweep/base/error.h"
#include "sweep/base/hash.h"

namespace sweep {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

CorpusFacts facts(std::int64_t train = 10'000, std::int64_t val = 1'000) {
  CorpusFacts f;
  f.hash = sha256("tokens");
  f.vocab_size = 65;
  f.train_tokens = train;
  f.val_tokens = val;
  return f;
}

/// Facts for every corpus that the pre-registration names.
CorpusTable corpora_of(const Prereg& prereg, const CorpusFacts& all = facts()) {
  CorpusTable table;
  for (const DataConfig& data : data_configs(prereg)) table[corpus_key(data)] = all;
  return table;
}

std::vector<RunSpec> plan_of(const std::string& text) {
  const Prereg prereg = parsed(text);
  return expand(prereg, corpora_of(prereg));
}

std::vector<std::string> ids_of(const std::vector<RunSpec>& plan) {
  std::vector<std::string> ids;
  for (const RunSpec& run : plan) ids.push_back(run.id);
  return ids;
}

/// The id without its hash.
std::vector<std::string> cells_of(const std::vector<RunSpec>& plan) {
  std::vector<std::string> cells;
  for (const RunSpec& run : plan) cells.push_back(run.id.substr(0, run.id.rfind('-')));
  return cells;
}

std::string error_of(const std::string& text, const CorpusFacts& all = facts()) {
  const Prereg prereg = parsed(text);
  try {
    expand(prereg, corpora_of(prereg, all));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
    return e.what();
  }
  return "";
}

const std::string kTwoDepths = sample_with("[1e-3, 1e-2]\n  seed: [1]",
                                           "[1e-3, 3e-3, 1e-2, 3e-2, 1e-1]\n"
                                           "  model.n_layer: [2, 4]\n"
                                           "  seed: [1, 2]");

TEST(Expand, PutsPairsTogetherTheFirstSeedFirstAndRatesByBisection) {
  const auto cells = cells_of(plan_of(kTwoDepths));
  ASSERT_EQ(cells.size(), 40U);
  EXPECT_THAT(
      std::vector<std::string>(cells.begin(), cells.begin() + 20),
      ElementsAre("base-L2-lr1e-3-s1", "qk-L2-lr1e-3-s1", "base-L4-lr1e-3-s1", "qk-L4-lr1e-3-s1",
                  "base-L2-lr1e-1-s1", "qk-L2-lr1e-1-s1", "base-L4-lr1e-1-s1", "qk-L4-lr1e-1-s1",
                  "base-L2-lr1e-2-s1", "qk-L2-lr1e-2-s1", "base-L4-lr1e-2-s1", "qk-L4-lr1e-2-s1",
                  "base-L2-lr3e-3-s1", "qk-L2-lr3e-3-s1", "base-L4-lr3e-3-s1", "qk-L4-lr3e-3-s1",
                  "base-L2-lr3e-2-s1", "qk-L2-lr3e-2-s1", "base-L4-lr3e-2-s1", "qk-L4-lr3e-2-s1"));
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(cells[i + 20], cells[i].substr(0, cells[i].size() - 1) + "2");
  }
}

TEST(Expand, GivesIdsThatNeverChange) {
  EXPECT_THAT(ids_of(plan_of(kSample)),
              ElementsAre("base-lr1e-3-s1-264006a8", "qk-lr1e-3-s1-526f2ff9",
                          "base-lr1e-2-s1-21590e0f", "qk-lr1e-2-s1-2feb3d22"));
}

TEST(Expand, TakesIdsFromContentAlone) {
  const auto ids = ids_of(plan_of(kSample));
  const auto wider = ids_of(
      plan_of(sample_with("[1e-3, 1e-2]\n  seed: [1]", "[1e-3, 3e-3, 1e-2]\n  seed: [1, 2]")));
  for (const std::string& id : ids) EXPECT_THAT(wider, Contains(id));
  const auto retitled = ids_of(plan_of(sample_with("title: T", "title: Another")));
  EXPECT_EQ(ids, retitled);
  const auto longer = ids_of(plan_of(sample_with("max_iters: 10", "max_iters: 11")));
  for (const std::string& id : longer) EXPECT_THAT(ids, Each(testing::Ne(id)));
}

TEST(Expand, TellsRunsOnOtherTokensApart) {
  const Prereg prereg = parsed(kSample);
  CorpusFacts other = facts();
  other.hash = sha256("other tokens");
  EXPECT_NE(ids_of(expand(prereg, corpora_of(prereg))),
            ids_of(expand(prereg, corpora_of(prereg, other))));
}

TEST(Expand, IsPure) { EXPECT_EQ(plan_of(kTwoDepths), plan_of(kTwoDepths)); }

const std::string kRobust = kTwoDepths +
                            "robustness:\n"
                            "  subset: {train.learning_rate: [1e-3, 1e-1], model.n_layer: [4],\n"
                            "           seed: [2]}\n"
                            "  change: [{train.warmup_iters: 3},\n"
                            "           {train.weight_decay_mode: independent,\n"
                            "            train.weight_decay: 1e-4}]\n";

TEST(Expand, PutsRobustnessRunsLastAndInPairs) {
  const auto plan = plan_of(kRobust);
  ASSERT_EQ(plan.size(), 48U);
  const auto main = plan_of(kTwoDepths);
  EXPECT_TRUE(std::equal(main.begin(), main.end(), plan.begin()));
  const auto cells = cells_of(plan);
  EXPECT_THAT(
      std::vector<std::string>(cells.begin() + 40, cells.end()),
      ElementsAre("base-L4-lr1e-3-warmup3-s2", "qk-L4-lr1e-3-warmup3-s2",
                  "base-L4-lr1e-1-warmup3-s2", "qk-L4-lr1e-1-warmup3-s2",
                  "base-L4-lr1e-3-wd1e-4-independent-s2", "qk-L4-lr1e-3-wd1e-4-independent-s2",
                  "base-L4-lr1e-1-wd1e-4-independent-s2", "qk-L4-lr1e-1-wd1e-4-independent-s2"));
}

TEST(Expand, NamesARobustnessBlockByItsChangeInWords) {
  const auto plan = plan_of(kRobust);
  EXPECT_EQ(plan[40].block, "robustness: train.warmup_iters 3");
  EXPECT_EQ(plan[47].block,
            "robustness: train.weight_decay 1e-4, train.weight_decay_mode independent");
  EXPECT_EQ(plan[47].config.train.weight_decay_mode, WeightDecayMode::kIndependent);
  EXPECT_EQ(plan[47].config.train.weight_decay, 1e-4);
  EXPECT_EQ(plan[47].config.model.n_layer, 4);
}

TEST(Expand, RefusesARobustnessVariantThatChangesNothing) {
  EXPECT_THAT(error_of(kSample + "robustness:\n  subset: {seed: [1]}\n"
                                 "  change: [{train.warmup_iters: 0}]\n"),
              HasSubstr("robustness: train.warmup_iters 0: changes nothing in base-lr1e-3"));
}

TEST(Expand, WritesCompleteRuns) {
  const RunSpec run = plan_of(kTwoDepths)[3];
  EXPECT_EQ(run.arm, "qk");
  EXPECT_EQ(run.block, "main");
  EXPECT_EQ(run.seed, 1U);
  EXPECT_EQ(run.levels, (std::vector<Level>{{"train.learning_rate", 1e-3}, {"model.n_layer", 4}}));
  EXPECT_EQ(run.config.model.n_layer, 4);
  EXPECT_EQ(run.config.model.qk_norm, QkNorm::kRmsPerHead);
  EXPECT_EQ(run.config.model.vocab_size, 65);
  EXPECT_EQ(run.config.train.learning_rate, 1e-3);
  EXPECT_EQ(run.config.train.max_iters, 10);
  EXPECT_EQ(run.data, facts());
}

TEST(Expand, NamesCellsByTheirLevels) {
  const auto plan =
      plan_of(sample_with("  seed: [1]",
                          "  size: [{model.n_layer: 2, model.n_embd: 64, model.n_head: 2}]\n"
                          "  train.schedule: [constant]\n"
                          "  model.bias: [off]\n"
                          "  train.weight_decay: [1e-4]\n"
                          "  seed: [1]"));
  EXPECT_EQ(cells_of(plan).front(), "base-L2h2d64-constant-nobias-wd1e-4-lr1e-3-s1");
  EXPECT_EQ(plan.front().levels[1].value.dump(),
            R"({"model.n_layer":2,"model.n_head":2,"model.n_embd":64})");
}

TEST(Expand, KeepsIdsSafeForFileNames) {
  const auto plan = plan_of(
      sample_with("data: {corpus: synthetic}\n", "")
          .insert(kSample.find("  seed"), "  data.files: [[\"../a b.txt\", \"\u00e9.txt\"]]\n"));
  EXPECT_EQ(cells_of(plan).front(), "base-.._a_b.txt___.txt-lr1e-3-s1");
}

TEST(Expand, ReportsEveryRuleThatSomeCellBreaks) {
  const std::string text = sample_with("  seed: [1]", "  model.n_head: [3, 4]\n  seed: [1]") +
                           "model: {block_size: 2000, vocab_size: 60}\n";
  EXPECT_EQ(error_of(text),
            "model.n_embd (128) must be a multiple of model.n_head (3) (4 cells, such as "
            "base-h3-lr1e-3)\n"
            "model.vocab_size (60) is smaller than the corpus's (65) (8 cells, such as "
            "base-h3-lr1e-3)\n"
            "measure.eval_tokens 0: the held-out part of 1000 tokens has 0 windows of block_size "
            "2000; choose 0 (all of it) or a number from 2000 to 0 (8 cells, such as "
            "base-h3-lr1e-3)\n"
            "3 problems");
}

TEST(Expand, AsksForATrainingPartLongerThanTheContext) {
  EXPECT_EQ(error_of(kSample, facts(129)), "");
  EXPECT_THAT(
      error_of(kSample, facts(128)),
      HasSubstr("model.block_size (128) must be shorter than the training part (128 tokens)"));
}

TEST(Expand, LetsTheVocabularyBePadded) {
  const auto plan = plan_of(kSample + "model: {vocab_size: 128}\n");
  EXPECT_EQ(plan.front().config.model.vocab_size, 128);
}

TEST(DataConfigs, AreDistinctAndInOrderOfUse) {
  const Prereg prereg = parsed(sample_with("  seed: [1]",
                                           "  data.tokenizer: [char, byte]\n"
                                           "  model.n_layer: [1, 2]\n  seed: [1, 2]"));
  const auto configs = data_configs(prereg);
  ASSERT_EQ(configs.size(), 2U);
  EXPECT_EQ(configs[0].tokenizer, "char");
  EXPECT_EQ(configs[1].tokenizer, "byte");
  EXPECT_EQ(corpus_key(configs[1]),
            R"({"corpus":"synthetic","files":[],"tokenizer":"byte","val_fraction":0.1,)"
            R"("synthetic_chars":200000})");
}

TEST(RunSpecJson, RoundTripsOnOneLine) {
  for (const RunSpec& run : plan_of(kTwoDepths)) {
    const std::string line = to_line(to_json(run));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(run_spec_from_json(Json::parse(line)), run);
  }
}

TEST(RunSpecJson, RefusesWhatItDoesNotKnow) {
  Json json = to_json(plan_of(kSample).front());
  json["schema_version"] = 2;
  EXPECT_THROW(run_spec_from_json(json), Error);
  json["schema_version"] = 1;
  json.erase("seed");
  EXPECT_THROW(run_spec_from_json(json), Error);
}

}  // namespace
}  // namespace sweep
