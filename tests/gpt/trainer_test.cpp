#include "gpt/trainer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpt/trainer_fixture.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

using testing::AnyOf;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class TrainerTest : public TrainerFixture {
 protected:
  TrainerTest() : TrainerFixture(KernelPath::kPlain) {}
};

TEST_F(TrainerTest, BeginsNearTheLossOfAGuess) {
  EXPECT_NEAR(evaluate(trainer()), std::log(kVocabulary), 0.1);
}

TEST_F(TrainerTest, MakesEqualWeightsFromEqualSeeds) {
  Trainer first = trainer();
  Trainer second = trainer();
  Trainer other = trainer(2);
  train(first, 3);
  train(second, 3);
  train(other, 3);
  EXPECT_EQ(weights_of(first), weights_of(second));
  EXPECT_NE(weights_of(first), weights_of(other));
}

TEST_F(TrainerTest, LowersTheLossOnATextItHasSeen) {
  tokens_.assign(500, 0);
  for (std::size_t i = 0; i < tokens_.size(); ++i) tokens_[i] = static_cast<Token>(i % 3);
  config_.train.schedule = Schedule::kConstant;
  Trainer learner = trainer();
  const double before = evaluate(learner);
  train(learner, 30);
  EXPECT_LT(evaluate(learner), before - 1);
}

TEST_F(TrainerTest, EvaluationLeavesTrainingAsItWas) {
  for (const double dropout : {0.0, 0.2}) {
    config_.model.dropout = dropout;
    Trainer watched = trainer();
    Trainer alone = trainer();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(evaluate(watched), evaluate(watched));
      train(watched, 1);
      train(alone, 1);
    }
    EXPECT_EQ(weights_of(watched), weights_of(alone));
  }
}

TEST_F(TrainerTest, EvaluatesEveryWindowOnceHoweverTheyAreChunked) {
  config_.measure.eval_tokens = 10 * config_.model.block_size;
  config_.train.dtype = Dtype::kFloat64;
  config_.train.batch_size = 4;  // chunks of 4, 4 and 2 windows
  const double in_chunks = evaluate(trainer());
  config_.train.batch_size = 1;
  EXPECT_NEAR(evaluate(trainer()), in_chunks, 1e-12);
}

TEST_F(TrainerTest, ShowsSignsOfLifeWhileItEvaluates) {
  config_.measure.eval_tokens = 10 * config_.model.block_size;
  int signs = 0;
  static_cast<void>(trainer().validation_loss([&] { ++signs; }));
  EXPECT_EQ(signs, 3);
}

TEST_F(TrainerTest, GoesOnWithTheSameBitsFromAnyState) {
  for (const double dropout : {0.0, 0.2}) {
    config_.model.dropout = dropout;
    Trainer whole = trainer();
    Trainer interrupted = trainer();
    for (int step = 0; step < 5; ++step) {
      const std::string state = write_safetensors(interrupted.state(), {});
      interrupted = trainer();
      interrupted.restore(parse_safetensors(state, "state"), step);
      EXPECT_EQ(interrupted.step(), step);
      train(interrupted, 1);
      train(whole, 1);
    }
    EXPECT_EQ(weights_of(interrupted), weights_of(whole));
    EXPECT_EQ(write_safetensors(interrupted.state(), {}), write_safetensors(whole.state(), {}));
  }
}

TEST_F(TrainerTest, RefusesAStateOfAnotherShapeAndStaysAsItWas) {
  Trainer before = trainer();
  train(before, 1);
  const std::string weights = weights_of(before);
  config_.model.n_embd *= 2;
  const std::string wider = write_safetensors(trainer().state(), {});
  EXPECT_THROW(before.restore(parse_safetensors(wider, "state"), 3), Error);
  EXPECT_THROW(before.restore(parse_safetensors(weights, "weights"), 3), Error);
  EXPECT_EQ(weights_of(before), weights);
  EXPECT_EQ(before.step(), 1);
}

TEST_F(TrainerTest, NamesItsWeightsAsNanogptDoes) {
  const auto weights = trainer().weights();
  std::int64_t values = 0;
  for (const TensorBytes& tensor : weights) {
    EXPECT_EQ(tensor.dtype, "F32");
    values += static_cast<std::int64_t>(tensor.bytes.size() / sizeof(float));
  }
  EXPECT_EQ(weights.front().name, "transformer.wte.weight");
  EXPECT_THAT(weights.front().shape, testing::ElementsAre(kVocabulary, config_.model.n_embd));
  EXPECT_EQ(values, trainer().parameter_count());
  EXPECT_EQ(values, count_parameters(config_.model).total);
}

TEST_F(TrainerTest, TrainsInDoublePrecisionWhenAsked) {
  Trainer single = trainer();
  config_.train.dtype = Dtype::kFloat64;
  Trainer precise = trainer();
  train(single, 3);
  train(precise, 3);
  EXPECT_EQ(precise.weights().front().dtype, "F64");
  EXPECT_NEAR(evaluate(precise), evaluate(single), 1e-5);
}

TEST_F(TrainerTest, CountsAnUpdateAsClippedWhenItsNormWasAboveTheLimit) {
  const double norm = trainer().update().grad_norm.value();
  config_.train.grad_clip = norm * 1.01;
  EXPECT_FALSE(trainer().update().clipped);
  config_.train.grad_clip = norm * 0.99;
  EXPECT_TRUE(trainer().update().clipped);
  EXPECT_EQ(trainer().update().grad_norm.value(), norm);
  config_.train.grad_clip = 0;
  EXPECT_FALSE(trainer().update().clipped);
}

TEST_F(TrainerTest, SaysWhatBecameNonFiniteFirst) {
  config_.train.schedule = Schedule::kConstant;
  config_.train.warmup_iters = 0;
  config_.train.learning_rate = 1e30;
  Trainer hot = trainer();
  std::string quantity;
  for (int i = 0; i < 5 && quantity.empty(); ++i) quantity = hot.update().nonfinite;
  EXPECT_THAT(quantity, AnyOf("train_loss", "grad_norm", "parameter"));
}

TEST_F(TrainerTest, NoticesASingleNonFiniteWeightAfterTheUpdate) {
  // In a first moment, so that loss and gradients stay finite and only the update spreads it.
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Trainer poisoned = with_first_value("adam.m.transformer.wpe.weight", bad);
    const Update update = poisoned.update();
    EXPECT_EQ(update.nonfinite, "parameter");
    EXPECT_TRUE(std::isfinite(update.train_loss));
  }
}

TEST_F(TrainerTest, KeepsItsWeightsWhenTheLossIsNonFinite) {
  Trainer poisoned = with_first_value("transformer.wpe.weight", kNan);
  const std::string before = weights_of(poisoned);
  const Update update = poisoned.update();
  EXPECT_EQ(update.nonfinite, "train_loss");
  EXPECT_TRUE(std::isnan(update.train_loss));
  EXPECT_FALSE(update.grad_norm.has_value());
  EXPECT_EQ(weights_of(poisoned), before);
  EXPECT_EQ(poisoned.step(), 1);
}

/// What a row of updates found, number for number.
std::vector<std::vector<double>> numbers_of(std::span<const Update> updates) {
  std::vector<std::vector<double>> rows;
  for (const Update& u : updates) {
    rows.push_back({u.train_loss, u.lr, u.grad_norm.value_or(-1), u.clipped ? 1.0 : 0.0});
  }
  return rows;
}

TEST_F(TrainerTest, MakesTheSameUpdatesReadAtOnceOrOneByOne) {
  for (const double dropout : {0.0, 0.2}) {
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
      config_.model.dropout = dropout;
      config_.train.dtype = dtype;
      config_.train.grad_clip = 0.8;
      Trainer at_once = trainer();
      Trainer one_by_one = trainer();
      for (const std::size_t count : {3U, 1U, 4U}) {
        std::vector<Update> updates(count);
        EXPECT_EQ(at_once.update(updates), count);
        std::vector<Update> same(count);
        for (Update& update : same) update = one_by_one.update();
        EXPECT_EQ(numbers_of(updates), numbers_of(same));
        EXPECT_EQ(at_once.step(), one_by_one.step());
      }
      EXPECT_EQ(write_safetensors(at_once.state(), {}), write_safetensors(one_by_one.state(), {}));
    }
  }
}

TEST_F(TrainerTest, EndsARowOfUpdatesWithTheFirstNonFiniteOne) {
  config_.train.schedule = Schedule::kConstant;
  config_.train.warmup_iters = 0;
  for (const double rate : {10.0, 1e4, 1e30}) {
    config_.train.learning_rate = rate;
    Trainer at_once = trainer();
    Trainer one_by_one = trainer();
    std::vector<Update> updates(200);
    const std::size_t made = at_once.update(updates);
    std::vector<Update> same;
    while (same.size() < updates.size() && (same.empty() || same.back().nonfinite.empty())) {
      same.push_back(one_by_one.update());
    }
    ASSERT_EQ(made, same.size()) << rate;
    EXPECT_EQ(updates[made - 1].nonfinite, same.back().nonfinite);
    EXPECT_EQ(numbers_of(std::span(updates).first(made - 1)),
              numbers_of(std::span(same).first(made - 1)));
    EXPECT_EQ(at_once.step(), one_by_one.step());
    EXPECT_EQ(weights_of(at_once), weights_of(one_by_one));
  }
}

TEST_F(TrainerTest, EndsARowAtABadWeightAsItEndsAtABadLoss) {
  for (const char* const tensor : {"adam.m.transformer.wpe.weight", "transformer.wpe.weight"}) {
    Trainer at_once = with_first_value(tensor, kNan);
    Trainer one_by_one = with_first_value(tensor, kNan);
    std::vector<Update> updates(3);
    EXPECT_EQ(at_once.update(updates), 1U);
    EXPECT_EQ(updates[0].nonfinite, one_by_one.update().nonfinite);
    EXPECT_EQ(at_once.step(), one_by_one.step());
    EXPECT_EQ(weights_of(at_once), weights_of(one_by_one));
  }
}

TEST_F(TrainerTest, NeedsTextLongerThanAWindow) {
  const std::vector<Token> window(static_cast<std::size_t>(config_.model.block_size));
  EXPECT_THROW(Trainer(config_, 1, window, tokens_), Error);
  EXPECT_THROW(Trainer(config_, 1, tokens_, window), Error);
}

TEST(ResolvedConfig, TakesTheVocabularyOfTheCorpusUnlessOneIsGiven) {
  RunSpec spec;
  spec.data.vocab_size = 65;
  EXPECT_EQ(resolved_config(spec).model.vocab_size, 65);
  spec.config.model.vocab_size = 128;
  EXPECT_EQ(resolved_config(spec).model.vocab_size, 128);
  spec.config.model.vocab_size = 64;
  EXPECT_THROW(resolved_config(spec), Error);
}

}  // namespace
}  // namespace sweep
