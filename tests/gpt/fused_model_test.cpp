// The hand-written step against autograd.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpt/fused/model.h"
#include "gpt/model.h"
#include "gpt/optimizer.h"
#include "gpt/tiny_gpt.h"
#include "sweep/base/error.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

struct Batch {
  Batch(const Config& config, std::int64_t sequences, std::uint64_t step = 0)
      : length(config.model.block_size) {
    RandomStream stream(3, "tokens", step);
    const auto vocabulary = static_cast<std::uint64_t>(config.model.vocab_size);
    for (std::int64_t i = 0; i < sequences * length; ++i) {
      inputs.push_back(static_cast<std::int64_t>(stream.below(vocabulary)));
      targets.push_back(static_cast<std::int64_t>(stream.below(vocabulary)));
    }
  }

  /// Something to learn: after each token comes the next one.
  void teach_counting(std::int64_t vocabulary) {
    for (std::size_t i = 0; i < inputs.size(); ++i) targets[i] = (inputs[i] + 1) % vocabulary;
  }

  [[nodiscard]] Sequences sequences() const { return {inputs, targets}; }
  [[nodiscard]] at::Tensor ids(std::vector<std::int64_t>& from) const {
    return at::from_blob(from.data(), {std::ssize(from) / length, length}, at::kLong);
  }

  std::int64_t length;
  std::vector<std::int64_t> inputs;
  std::vector<std::int64_t> targets;
};

/// The same model by autograd, with the very numbers of `fused`.
Gpt reference_of(const FusedModel& fused, at::ScalarType dtype) {
  Gpt gpt(fused.config(), dtype, at::kCPU, 0);
  const c10::InferenceMode no_gradients(false);
  for (std::size_t i = 0; i < gpt.parameters().size(); ++i) {
    const at::Tensor& to = gpt.parameters()[i].value;
    to.set_data(at::from_blob(fused.tensors()[i].value, to.sizes()).to(dtype, false, true));
  }
  return gpt;
}

/// Values away from the initial ones, so that no gain is 1 and no bias 0.
void disturb(FusedModel& model) {
  RandomStream stream(4, "disturb");
  for (const FusedTensor& tensor : model.tensors()) {
    for (std::int64_t i = 0; i < tensor.plan.size(); ++i) {
      tensor.value[i] += static_cast<float>(0.1 * stream.normal());
    }
  }
  model.values_changed();
}

void expect_gradients_of_autograd(const Config& config) {
  FusedModel fused(config, 1);
  disturb(fused);
  Batch batch(config, config.train.batch_size);
  const Gpt gpt = reference_of(fused, at::kDouble);
  const at::Tensor loss = gpt.loss(batch.ids(batch.inputs), batch.ids(batch.targets));
  loss.backward();
  EXPECT_NEAR(fused.loss_and_gradients(batch.sequences()), loss.item<double>(), 1e-6);
  EXPECT_NEAR(fused.loss_sum(batch.sequences()) / static_cast<double>(batch.inputs.size()),
              loss.item<double>(), 1e-6);
  double squares = 0;
  for (std::size_t i = 0; i < gpt.parameters().size(); ++i) {
    const at::Tensor& exact = gpt.parameters()[i].value.grad();
    const at::Tensor ours = at::from_blob(fused.tensors()[i].gradient, exact.sizes());
    const double error = (ours - exact).norm().item<double>();
    // Some vanish exactly: those of gains when there is one key to attend to.
    EXPECT_LE(error, 1e-5 * exact.norm().item<double>() + 1e-9) << gpt.parameters()[i].name;
    squares += exact.square().sum().item<double>();
  }
  EXPECT_NEAR(fused.gradient_norm(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
}

Config config_of(QkNorm variant) {
  Config config;
  config.model = tiny_config(variant);
  config.train.batch_size = 3;
  return config;
}

class FusedVariant : public testing::TestWithParam<QkNorm> {};

TEST_P(FusedVariant, HasTheGradientsOfAutograd) {
  for (const bool bias : {false, true}) {
    for (const bool tied : {false, true}) {
      Config config = config_of(GetParam());
      config.model.bias = bias;
      config.model.tie_weights = tied;
      SCOPED_TRACE(fmt::format("bias {}, tied {}", bias, tied));
      expect_gradients_of_autograd(config);
    }
  }
}

TEST_P(FusedVariant, HasThemInEverySize) {
  struct Size {
    std::int64_t heads, width, length, vocabulary, batch;
  };
  for (const Size size : {Size{2, 32, 16, 16, 40},
                          {3, 51, 13, 65, 5},
                          {1, 20, 600, 130, 2},
                          {4, 64, 33, 1, 17},
                          {2, 6, 1, 3, 700}}) {
    Config config = config_of(GetParam());
    config.model.n_head = size.heads;
    config.model.n_embd = size.width;
    config.model.block_size = size.length;
    config.model.vocab_size = size.vocabulary;
    config.train.batch_size = size.batch;
    if (GetParam() == QkNorm::kL2Scalar && size.length < 2) continue;  // no initial value
    SCOPED_TRACE(fmt::format("width {}, length {}", size.width, size.length));
    expect_gradients_of_autograd(config);
  }
}

double plain_step(const Gpt& gpt, AdamW& optimizer, Batch& batch, double lr) {
  const at::Tensor loss = gpt.loss(batch.ids(batch.inputs), batch.ids(batch.targets));
  loss.backward();
  clip_gradients(gpt.parameters(), 1);
  optimizer.step(lr);
  clear_gradients(gpt.parameters());
  return loss.item<double>();
}

double fused_step(FusedModel& fused, const Batch& batch, double lr, std::int64_t step) {
  const double loss = fused.loss_and_gradients(batch.sequences());
  EXPECT_TRUE(fused.update(lr, std::min(1.0, 1 / (fused.gradient_norm() + 1e-6)), step));
  return loss;
}

// At a calm rate: at a hot one two orders of the same sum end in different curves.
TEST_P(FusedVariant, FollowsTheCurveOfAutogradForTwoHundredSteps) {
  for (const auto mode : {WeightDecayMode::kCoupled, WeightDecayMode::kIndependent}) {
    Config config = config_of(GetParam());
    config.train.weight_decay_mode = mode;
    config.train.weight_decay = mode == WeightDecayMode::kCoupled ? 0.1 : 1e-3;
    config.train.learning_rate = 1e-3;
    FusedModel fused(config, 1);
    const Gpt gpt = reference_of(fused, at::kFloat);
    AdamW optimizer(config.train, gpt.parameters());
    double last = 0;
    for (std::int64_t step = 1; step <= 200; ++step) {
      Batch batch(config, config.train.batch_size, static_cast<std::uint64_t>(step));
      batch.teach_counting(config.model.vocab_size);
      const double lr = step < 100 ? 1e-3 : 5e-4;
      const double plain = plain_step(gpt, optimizer, batch, lr);
      ASSERT_NEAR(fused_step(fused, batch, lr, step), plain, 1e-3) << step;
      last = plain;
    }
    EXPECT_LT(last, 0.8 * std::log(7));
  }
}

INSTANTIATE_TEST_SUITE_P(QkNorm, FusedVariant, testing::ValuesIn(all_qk_norms()), name_of_qk_norm);

TEST(FusedModel, ShowsANanInAnyTensorInTheLoss) {
  const Config config = config_of(QkNorm::kRmsPerHead);
  Batch batch(config, 3);
  FusedModel model(config, 1);
  for (const FusedTensor& tensor : model.tensors()) {
    FusedModel spoilt(config, 1);
    for (const FusedTensor& same : spoilt.tensors()) {
      if (same.plan.name != tensor.plan.name) continue;
      std::fill_n(same.value, same.plan.size(), std::nanf(""));
    }
    spoilt.values_changed();
    EXPECT_TRUE(std::isnan(spoilt.loss_and_gradients(batch.sequences()))) << tensor.plan.name;
    EXPECT_TRUE(std::isnan(spoilt.loss_sum(batch.sequences()))) << tensor.plan.name;
  }
}

TEST(FusedModel, SumsTheSameLossHoweverManySequencesItIsGiven) {
  Config config = config_of(QkNorm::kNone);
  config.train.batch_size = 4;
  FusedModel model(config, 1);
  const Batch batch(config, 11);
  const std::size_t whole = batch.inputs.size();
  const auto length = static_cast<std::size_t>(batch.length);
  double sum = 0;
  for (std::size_t i = 0; i < whole; i += length) {
    sum += model.loss_sum({{batch.inputs.data() + i, length}, {batch.targets.data() + i, length}});
  }
  EXPECT_NEAR(model.loss_sum(batch.sequences()), sum, 1e-9);
}

TEST(FusedModel, NeedsNoMoreMemoryForALargerBatch) {
  Config config = config_of(QkNorm::kNone);
  config.model.block_size = 128;
  config.train.batch_size = 4;
  const std::size_t small = FusedModel(config, 1).bytes();
  config.train.batch_size = 64;
  EXPECT_EQ(FusedModel(config, 1).bytes(), small);
}

TEST(FusedModel, RefusesAModelThatCannotBe) {
  Config config = config_of(QkNorm::kNone);
  config.model.n_head = 3;
  EXPECT_THROW(FusedModel(config, 1), Error);
  config = config_of(QkNorm::kNone);
  config.model.vocab_size = 0;
  EXPECT_THROW(FusedModel(config, 1), Error);
}

}  // namespace
}  // namespace sweep
