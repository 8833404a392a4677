#include <gtest/gtest.h>

#include "sweep/prereg/run_spec.h"

namespace sweep {
namespace {

ModelConfig char_model() {
  ModelConfig model;
  model.n_layer = 6;
  model.n_head = 6;
  model.n_embd = 384;
  model.block_size = 256;
  model.vocab_size = 65;
  return model;
}

TEST(CountParameters, MatchesNanogptsCharacterModel) {
  const ParameterCounts counts = count_parameters(char_model());
  EXPECT_EQ(counts.total, 10'745'088);
  EXPECT_EQ(counts.nanogpt, 10'745'088 - 256 * 384);  // printed there as 10.65M
  EXPECT_EQ(counts.non_embedding, 6 * 12 * 384 * 384 + 6 * 2 * 384 + 384);
  EXPECT_EQ(counts.qk_norm, 0);
}

TEST(CountParameters, MatchesGpt2) {
  ModelConfig model;
  model.n_layer = 12;
  model.n_head = 12;
  model.n_embd = 768;
  model.block_size = 1024;
  model.vocab_size = 50257;
  model.bias = true;
  EXPECT_EQ(count_parameters(model).total, 124'439'808);
}

TEST(CountParameters, AddsWhatEachQkNormHas) {
  ModelConfig model = char_model();
  const std::int64_t plain = count_parameters(model).total;
  const auto extra = [&](QkNorm variant) {
    model.qk_norm = variant;
    const ParameterCounts counts = count_parameters(model);
    EXPECT_EQ(counts.total, plain + counts.qk_norm);
    return counts.qk_norm;
  };
  EXPECT_EQ(extra(QkNorm::kRmsPerHead), 768);
  EXPECT_EQ(extra(QkNorm::kLnPerHead), 768);
  EXPECT_EQ(extra(QkNorm::kRmsFull), 6 * 2 * 384);
  EXPECT_EQ(extra(QkNorm::kL2Scalar), 6);
  EXPECT_EQ(extra(QkNorm::kRmsNoaffine), 0);
}

TEST(CountParameters, CountsAnUntiedHeadAsEmbedding) {
  ModelConfig model = char_model();
  const ParameterCounts tied = count_parameters(model);
  model.tie_weights = false;
  const ParameterCounts untied = count_parameters(model);
  EXPECT_EQ(untied.total - tied.total, 65 * 384);
  EXPECT_EQ(untied.non_embedding, tied.non_embedding);
}

}  // namespace
}  // namespace sweep
