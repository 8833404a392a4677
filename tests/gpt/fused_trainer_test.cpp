// What a run may rely on, with the hand-written step.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpt/kernels/instruction_set.h"
#include "gpt/tiny_gpt.h"
#include "gpt/trainer_fixture.h"
#include "gpt/usage.h"
#include "sweep/base/error.h"
#include "sweep/prereg/config.h"
#include "sweep/prereg/mechanism_quantities.h"

namespace sweep {
namespace {

class FusedTrainer : public TrainerFixture {
 protected:
  FusedTrainer() : TrainerFixture(KernelPath::kFused) {}
};

TEST_F(FusedTrainer, BeginsAsThePlainOneDoes) {
  const Trainer plain(config_, 1, tokens_, tokens_);
  EXPECT_EQ(weights_of(trainer()), weights_of(plain));
  EXPECT_NEAR(evaluate(trainer()), evaluate(plain), 1e-6);
}

TEST_F(FusedTrainer, FollowsThePlainOne) {
  Trainer plain(config_, 1, tokens_, tokens_);
  Trainer fused = trainer();
  for (int i = 0; i < 10; ++i) {
    const Update one = plain.update();
    const Update other = fused.update();
    EXPECT_EQ(one.lr, other.lr);
    EXPECT_NEAR(one.train_loss, other.train_loss, 1e-5);
    EXPECT_NEAR(one.grad_norm.value(), other.grad_norm.value(), 1e-4);
  }
  EXPECT_NEAR(evaluate(plain), evaluate(fused), 1e-5);
}

TEST_F(FusedTrainer, MakesEqualWeightsFromEqualSeeds) {
  for (const QkNorm variant : all_qk_norms()) {
    config_.model.qk_norm = variant;
    Trainer first = trainer();
    Trainer second = trainer();
    Trainer other = trainer(2);
    train(first, 3);
    train(second, 3);
    train(other, 3);
    EXPECT_EQ(weights_of(first), weights_of(second));
    EXPECT_NE(weights_of(first), weights_of(other));
  }
}

TEST_F(FusedTrainer, MakesEqualWeightsColdAndWarm) {
  Trainer cold = trainer();
  train(cold, 4);
  Trainer warm = trainer();
  train(warm, 3);
  warm.restore(parse_safetensors(write_safetensors(trainer().state(), {}), "state"), 0);
  train(warm, 4);
  EXPECT_EQ(weights_of(warm), weights_of(cold));
}

TEST_F(FusedTrainer, MeasuringLeavesTrainingAsItWas) {
  config_.measure.mechanism = {"max_attention_logit", "attention_entropy"};
  Trainer watched = trainer();
  Trainer alone = trainer();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(evaluate(watched), evaluate(watched));
    EXPECT_FALSE(watched.mechanism([] {}).empty());
    train(watched, 1);
    train(alone, 1);
  }
  EXPECT_EQ(weights_of(watched), weights_of(alone));
}

TEST_F(FusedTrainer, MeasuringABatchOnItsWayLeavesTrainingAsItWas) {
  config_.measure.mechanism = find_field("measure.mechanism")->choices;
  Trainer watched = trainer();
  Trainer alone = trainer();
  NamedValues values;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(watched.measured_update(values).train_loss, alone.update().train_loss);
    EXPECT_FALSE(values.empty());
  }
  EXPECT_EQ(weights_of(watched), weights_of(alone));
}

TEST_F(FusedTrainer, OnlyTheHandWrittenStepMeasuresABatchOnItsWay) {
  Trainer plain(config_, 1, tokens_, tokens_);
  NamedValues values;
  EXPECT_THROW(plain.measured_update(values), Error);
}

void expect_near(const NamedValues& ours, const NamedValues& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].first, theirs[i].first);
    EXPECT_NEAR(ours[i].second, theirs[i].second, 2e-4 * (1 + std::abs(theirs[i].second)))
        << ours[i].first;
  }
}

TEST_F(FusedTrainer, MeasuresWhatThePlainOneMeasures) {
  config_.measure.mechanism = find_field("measure.mechanism")->choices;
  ASSERT_EQ(config_.measure.mechanism.size(), mechanism_quantities().size());
  for (const QkNorm variant : all_qk_norms()) {
    SCOPED_TRACE(to_string(variant));
    config_.model.qk_norm = variant;
    Trainer plain(config_, 1, tokens_, tokens_);
    Trainer fused = trainer();
    expect_near(fused.mechanism([] {}), plain.mechanism([] {}));
    train(plain, 5);
    train(fused, 5);
    expect_near(fused.mechanism([] {}), plain.mechanism([] {}));
  }
}

TEST_F(FusedTrainer, MeasuresTheSameOnEveryInstructionSet) {
  config_.measure.mechanism = find_field("measure.mechanism")->choices;
  const InstructionSet widest = instruction_sets().front();
  use_instruction_set(widest);
  Trainer first = trainer();
  train(first, 3);
  const NamedValues expected = first.mechanism([] {});
  for (const InstructionSet set : instruction_sets()) {
    use_instruction_set(set);
    EXPECT_EQ(first.mechanism([] {}), expected) << to_string(set);
  }
  use_instruction_set(widest);
}

TEST_F(FusedTrainer, GoesOnWithTheSameBitsFromAnyState) {
  Trainer whole = trainer();
  Trainer interrupted = trainer();
  for (int step = 0; step < 5; ++step) {
    const std::string state = write_safetensors(interrupted.state(), {});
    interrupted = trainer();
    interrupted.restore(parse_safetensors(state, "state"), step);
    train(interrupted, 1);
    train(whole, 1);
  }
  EXPECT_EQ(write_safetensors(interrupted.state(), {}), write_safetensors(whole.state(), {}));
}

TEST_F(FusedTrainer, SaysWhatBecameNonFiniteFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Trainer in_weights = with_first_value("transformer.wpe.weight", nan);
  const std::string before = weights_of(in_weights);
  const Update lost = in_weights.update();
  EXPECT_EQ(lost.nonfinite, "train_loss");
  EXPECT_FALSE(lost.grad_norm.has_value());
  EXPECT_EQ(weights_of(in_weights), before);
  Trainer in_moments = with_first_value("adam.m.transformer.wpe.weight", nan);
  EXPECT_EQ(in_moments.update().nonfinite, "parameter");
}

TEST_F(FusedTrainer, CountsAnUpdateAsClippedWhenItsNormWasAboveTheLimit) {
  const double norm = trainer().update().grad_norm.value();
  config_.train.grad_clip = norm * 1.01;
  EXPECT_FALSE(trainer().update().clipped);
  config_.train.grad_clip = norm * 0.99;
  EXPECT_TRUE(trainer().update().clipped);
  config_.train.grad_clip = 0;
  EXPECT_FALSE(trainer().update().clipped);
}

TEST_F(FusedTrainer, AsksForNoMemoryInASteadyStep) {
  Trainer steady = trainer();
  train(steady, 3);
  const std::int64_t allocations = allocations_made();
  for (int i = 0; i < 20; ++i) static_cast<void>(steady.update());
  EXPECT_EQ(allocations_made(), allocations);
}

TEST_F(FusedTrainer, TouchesNoNewMemoryInASteadyStep) {
  Trainer steady = trainer();
  train(steady, 3);
  const std::int64_t faults = process_usage().page_faults;
  for (int i = 0; i < 20; ++i) static_cast<void>(steady.update());
  EXPECT_LE(process_usage().page_faults - faults, 1);  // a counter of the system's own
}

TEST_F(FusedTrainer, HasTheSameBitsOnEveryInstructionSet) {
  std::vector<std::string> weights;
  for (const InstructionSet set : instruction_sets()) {
    use_instruction_set(set);
    config_.model.qk_norm = QkNorm::kRmsPerHead;
    Trainer one = trainer();
    train(one, 3);
    weights.push_back(weights_of(one));
  }
  use_instruction_set(instruction_sets().front());
  for (const std::string& other : weights) EXPECT_EQ(other, weights.front());
}

TEST_F(FusedTrainer, RefusesWhatOnlyThePlainPathCanTrain) {
  config_.model.dropout = 0.1;
  EXPECT_THROW(static_cast<void>(trainer()), Error);
  config_.model.dropout = 0;
  config_.train.dtype = Dtype::kFloat64;
  EXPECT_THROW(static_cast<void>(trainer()), Error);
}

}  // namespace
}  // namespace sweep
