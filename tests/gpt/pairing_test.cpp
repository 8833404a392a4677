#include "gpt/pairing.h"

#include <gtest/gtest.h>

#include "gpt/tiny_gpt.h"
#include "gpt/trainer.h"

namespace sweep {
namespace {

std::string init_hash(QkNorm qk_norm, std::uint64_t seed) {
  const std::vector<Token> tokens(100, 1);
  Config config;
  config.model = tiny_config(qk_norm);
  const Trainer trainer(config, seed, tokens, tokens);
  return shared_init_hash(config.model, trainer.weights());
}

TEST(SharedInitHash, IsOneForBothArmsAndAnotherForAnotherSeed) {
  EXPECT_EQ(init_hash(QkNorm::kNone, 1), init_hash(QkNorm::kRmsPerHead, 1));
  EXPECT_EQ(init_hash(QkNorm::kNone, 1), init_hash(QkNorm::kL2Scalar, 1));
  EXPECT_NE(init_hash(QkNorm::kNone, 1), init_hash(QkNorm::kNone, 2));
}

TEST(BatchesHash, DependsOnTheSeedAndTheWindowsAlone) {
  Config config;
  config.train.max_iters = 3;
  config.train.batch_size = 4;
  config.model.block_size = 8;
  const std::string hash = batches_hash(config, 1, 1000);
  Config other = config;
  other.train.learning_rate = 1;
  other.model.qk_norm = QkNorm::kRmsPerHead;
  other.model.n_layer = 12;
  EXPECT_EQ(batches_hash(other, 1, 1000), hash);
  EXPECT_NE(batches_hash(config, 2, 1000), hash);
  other.train.max_iters = 4;
  EXPECT_NE(batches_hash(other, 1, 1000), hash);
}

}  // namespace
}  // namespace sweep
