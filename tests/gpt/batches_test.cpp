#include "gpt/batches.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "sweep/base/error.h"

namespace sweep {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Lt;

TEST(Batches, DependOnSeedAndUpdateOnly) {
  EXPECT_EQ(batch_offsets(1, 5, 8, 1000, 16), batch_offsets(1, 5, 8, 1000, 16));
  EXPECT_NE(batch_offsets(1, 5, 8, 1000, 16), batch_offsets(1, 6, 8, 1000, 16));
  EXPECT_NE(batch_offsets(1, 5, 8, 1000, 16), batch_offsets(2, 5, 8, 1000, 16));
}

TEST(Batches, OfFewerRowsAreTheFirstRowsOfLargerOnes) {
  auto large = batch_offsets(1, 5, 8, 1000, 16);
  large.resize(3);
  EXPECT_EQ(batch_offsets(1, 5, 3, 1000, 16), large);
}

TEST(Batches, BeginEverywhereAndEndInsideTheTrainingPart) {
  std::set<std::int64_t> seen;
  for (std::int64_t update = 0; update < 200; ++update) {
    const auto offsets = batch_offsets(1, update, 4, 20, 16);
    EXPECT_THAT(offsets, Each(AllOf(Ge(0), Lt(4))));
    seen.insert(offsets.begin(), offsets.end());
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
}

TEST(Batches, NeedATrainingPartLongerThanAWindow) {
  EXPECT_THAT(batch_offsets(1, 0, 2, 17, 16), ElementsAre(0, 0));
  EXPECT_THROW(batch_offsets(1, 0, 2, 16, 16), Error);
}

TEST(Batches, TargetsAreTheInputsOneLater) {
  std::vector<Token> tokens(10);
  std::iota(tokens.begin(), tokens.end(), Token{0});
  TokenBatch batch;
  const std::vector<std::int64_t> offsets{6, 0};
  gather_windows(tokens, offsets, 3, batch);
  EXPECT_THAT(batch.inputs, ElementsAre(6, 7, 8, 0, 1, 2));
  EXPECT_THAT(batch.targets, ElementsAre(7, 8, 9, 1, 2, 3));
}

}  // namespace
}  // namespace sweep
