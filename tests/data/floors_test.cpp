#include <gtest/gtest.h>

#include <cmath>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/data/corpus.h"

namespace sweep {
namespace {

TEST(EvalWindows, AreWholeAndHaveTargets) {
  EXPECT_EQ(eval_windows(111'540, 0, 64), 1742);  // Tiny Shakespeare's held-out part
  EXPECT_EQ(eval_windows(65, 0, 64), 1);
  EXPECT_EQ(eval_windows(1000, 130, 64), 2);
  EXPECT_THROW(eval_windows(64, 0, 64), Error);
  EXPECT_THROW(eval_windows(1000, 10, 64), Error);
  EXPECT_THROW(eval_windows(1000, 2000, 64), Error);
}

// By hand: training part aab aab a (a 5, b 2; pairs aa 2, ab 2, ba 2), held out aba.
TEST(CorpusFloors, FollowTheCountsOfTheTrainingPart) {
  const TemporaryFolder folder;
  publish(folder / "a.txt", "aabaabaaba");
  DataConfig config;
  config.files = {"a.txt"};
  config.val_fraction = 0.3;
  const CorpusFacts facts = store_corpus(load_corpus(config, folder.path()), config, folder.path());
  ASSERT_EQ(facts.train_tokens, 7);
  const TokenFile tokens(folder.path(), facts);
  const CorpusFloors floors = corpus_floors(tokens, 2, 0, 2);
  // Held out: a b a; one window of two: targets b, a.
  EXPECT_DOUBLE_EQ(floors.uniform, std::log(2.0));
  EXPECT_DOUBLE_EQ(floors.unigram, -(std::log(3.0 / 9) + std::log(6.0 / 9)) / 2);
  EXPECT_DOUBLE_EQ(floors.bigram, -(std::log(3.0 / 6) + std::log(3.0 / 4)) / 2);
}

}  // namespace
}  // namespace sweep
