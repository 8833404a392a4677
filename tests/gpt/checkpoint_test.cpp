#include "gpt/checkpoint.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Checkpoints : public testing::Test {
 protected:
  [[nodiscard]] CheckpointPair pair() const { return {run_, "config", "identity"}; }

  void save(CheckpointPair& checkpoints, std::int64_t step) const {
    values_.assign(4, static_cast<float>(step));
    const std::string_view bytes(reinterpret_cast<const char*>(values_.data()), 16);
    const std::vector<TensorBytes> tensors{{"w", "F32", {4}, bytes, nullptr}};
    Progress progress;
    progress.step = step;
    progress.clip_count = 3;
    progress.metrics_bytes = 100;
    progress.initial_val_loss = 4.25;
    checkpoints.save(progress, tensors);
  }

  /// The steps of the whole checkpoints, newest first.
  std::vector<std::int64_t> whole_steps(CheckpointPair checkpoints) {
    notes_.clear();
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : checkpoints.load(notes_)) {
      steps.push_back(checkpoint.progress.step);
    }
    return steps;
  }

  TemporaryFolder folder_;
  RunDir run_{folder_.path()};
  mutable std::vector<float> values_;
  std::vector<std::string> notes_;
};

TEST_F(Checkpoints, AreNoneBeforeTheFirst) {
  EXPECT_THAT(whole_steps(pair()), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Checkpoints, BringBackProgressAndTensors) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 7);
  const auto loaded = pair().load(notes_);
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].progress.step, 7);
  EXPECT_EQ(loaded[0].progress.clip_count, 3);
  EXPECT_EQ(loaded[0].progress.metrics_bytes, 100U);
  EXPECT_EQ(loaded[0].progress.initial_val_loss, 4.25);
  EXPECT_TRUE(std::isnan(loaded[0].progress.train_loss));
  const std::string_view expected(reinterpret_cast<const char*>(values_.data()), 16);
  EXPECT_EQ(loaded[0].tensors.find("w")->bytes, expected);
}

TEST_F(Checkpoints, AlternateAndComeNewestFirst) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 1);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(1));
  save(checkpoints, 2);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(2, 1));
  save(checkpoints, 3);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(3, 2));
}

TEST_F(Checkpoints, OverwriteTheOlderOneAfterAResume) {
  CheckpointPair first = pair();
  save(first, 1);
  save(first, 2);
  CheckpointPair second = pair();
  static_cast<void>(second.load(notes_));
  save(second, 3);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(3, 2));
}

TEST_F(Checkpoints, FallBackWhenTheNewestIsCutOff) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 1);
  save(checkpoints, 2);
  truncate_file(run_.checkpoint_b(), std::filesystem::file_size(run_.checkpoint_b()) - 1);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(1));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("checkpoint-b.safetensors")));
}

TEST_F(Checkpoints, OverwriteADamagedOneFirst) {
  CheckpointPair first = pair();
  save(first, 1);
  save(first, 2);
  publish(run_.checkpoint_b(), "");
  CheckpointPair second = pair();
  static_cast<void>(second.load(notes_));
  save(second, 3);
  EXPECT_THAT(whole_steps(pair()), ElementsAre(3, 1));
}

TEST_F(Checkpoints, NoticeEveryFlippedBit) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 5);
  const std::string whole = read_file(run_.checkpoint_a());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    std::ofstream(run_.checkpoint_a(), std::ios::binary) << damaged;
    EXPECT_THAT(whole_steps(pair()), IsEmpty()) << "byte " << i;
  }
}

TEST_F(Checkpoints, OfAnotherConfigOrMachineAreNotUsed) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 5);
  EXPECT_THAT(whole_steps({run_, "another", "identity"}), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("another config.json")));
  EXPECT_THAT(whole_steps({run_, "config", "another"}), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("another numeric identity")));
}

TEST_F(Checkpoints, LeaveNothingBehindWhenRemoved) {
  CheckpointPair checkpoints = pair();
  save(checkpoints, 1);
  save(checkpoints, 2);
  publish(folder_ / ".checkpoint-a.safetensors.tmp", "torn");
  CheckpointPair::remove(run_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace sweep
