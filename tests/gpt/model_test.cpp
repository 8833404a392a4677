#include "gpt/model.h"

#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpt/optimizer.h"
#include "gpt/tiny_gpt.h"
#include "sweep/base/error.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

constexpr std::int64_t kBatch = 2;
using Shape = std::vector<std::int64_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Gpt make_gpt(const ModelConfig& config, std::uint64_t seed = 1) {
  return {config, at::kDouble, at::kCPU, seed};
}

at::Tensor random_ids(const ModelConfig& config, const std::string& name) {
  at::Tensor ids = at::empty({kBatch, config.block_size}, at::kLong);
  RandomStream stream(9, name);
  auto* values = ids.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    values[i] =
        static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(config.vocab_size)));
  }
  return ids;
}

double loss_of(const Gpt& gpt, const DropoutDraw* draw = nullptr) {
  const c10::NoGradGuard no_grad;
  return gpt.loss(random_ids(gpt.config(), "ids"), random_ids(gpt.config(), "targets"), draw)
      .item<double>();
}

at::Tensor logits_of(const Gpt& gpt, const at::Tensor& ids) {
  const c10::NoGradGuard no_grad;
  return gpt.logits(ids);
}

at::Tensor value_of(const Gpt& gpt, const std::string& name) {
  for (const Parameter& parameter : gpt.parameters()) {
    if (parameter.name == name) return parameter.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

/// Larger, uneven weights: at nanoGPT's start attention is flat and gains do next to nothing.
void stir(const Gpt& gpt) {
  const c10::NoGradGuard no_grad;
  for (const Parameter& parameter : gpt.parameters()) {
    RandomStream stream(6, parameter.name);
    at::Tensor flat = parameter.value.view(-1);
    auto* values = flat.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < flat.numel(); ++i) values[i] += 0.3 * stream.normal();
  }
}

TEST(Gpt, StartsAtTheUniformLoss) {
  for (const QkNorm variant : all_qk_norms()) {
    EXPECT_NEAR(loss_of(make_gpt(tiny_config(variant))), std::log(7.0), 0.02);
  }
}

TEST(Gpt, GivesALogitPerTokenAndWord) {
  const Gpt gpt = make_gpt(tiny_config());
  const at::Tensor ids = random_ids(gpt.config(), "ids");
  EXPECT_EQ(logits_of(gpt, ids).sizes().vec(), (Shape{kBatch, 5, 7}));
  EXPECT_EQ(logits_of(gpt, ids.narrow(1, 0, 2)).sizes().vec(), (Shape{kBatch, 2, 7}));
}

TEST(Gpt, RefusesMoreTokensThanItHasPositions) {
  const Gpt gpt = make_gpt(tiny_config());
  EXPECT_THROW((void)gpt.logits(at::zeros({1, 6}, at::kLong)), Error);
}

TEST(Gpt, RefusesAWidthThatItsHeadsDoNotDivide) {
  ModelConfig config = tiny_config();
  config.n_head = 3;
  EXPECT_THROW(make_gpt(config), Error);
}

TEST(Gpt, RefusesAnUnknownVocabulary) {
  ModelConfig config = tiny_config();
  config.vocab_size = 0;
  EXPECT_THROW(make_gpt(config), Error);
}

TEST(Gpt, HasTheSameFloatsWhetherDrawnForFloat32OrRoundedFromFloat64) {
  const Gpt exact = make_gpt(tiny_config());
  const Gpt rounded(tiny_config(), at::kFloat, at::kCPU, 1);
  for (std::size_t i = 0; i < exact.parameters().size(); ++i) {
    EXPECT_TRUE(
        exact.parameters()[i].value.to(at::kFloat).equal(rounded.parameters()[i].value.detach()));
  }
}

TEST(Gpt, AgreesWithItselfInFloat32) {
  for (const QkNorm variant : all_qk_norms()) {
    const Gpt rounded(tiny_config(variant), at::kFloat, at::kCPU, 1);
    EXPECT_NEAR(loss_of(rounded), loss_of(make_gpt(tiny_config(variant))), 1e-5);
  }
}

TEST(Gpt, TiesItsHeadToTheTokenTable) {
  ModelConfig untied = tiny_config();
  untied.tie_weights = false;
  const Gpt with_head = make_gpt(untied);
  const Gpt tied = make_gpt(tiny_config());
  EXPECT_EQ(with_head.parameters().size(), tied.parameters().size() + 1);
  EXPECT_NE(loss_of(with_head), loss_of(tied));
  {
    const c10::NoGradGuard no_grad;
    value_of(with_head, "lm_head.weight").copy_(value_of(tied, "transformer.wte.weight"));
  }
  EXPECT_EQ(loss_of(with_head), loss_of(tied));
}

class EveryModel : public testing::TestWithParam<QkNorm> {};
INSTANTIATE_TEST_SUITE_P(Gpt, EveryModel, testing::ValuesIn(all_qk_norms()), name_of_qk_norm);

TEST_P(EveryModel, NeverLooksAtLaterTokens) {
  const Gpt gpt = make_gpt(tiny_config(GetParam()));
  stir(gpt);
  const at::Tensor ids = random_ids(gpt.config(), "ids");
  const at::Tensor before = logits_of(gpt, ids);
  for (std::int64_t t = 1; t < 5; ++t) {
    at::Tensor changed = ids.clone();
    changed.narrow(1, t, 5 - t).add_(1).remainder_(7);
    const at::Tensor after = logits_of(gpt, changed);
    EXPECT_TRUE(before.narrow(1, 0, t).equal(after.narrow(1, 0, t))) << "up to token " << t;
    EXPECT_FALSE(before.select(1, t).equal(after.select(1, t))) << "at token " << t;
  }
}

TEST_P(EveryModel, LooksAtEveryEarlierToken) {
  const Gpt gpt = make_gpt(tiny_config(GetParam()));
  stir(gpt);
  const at::Tensor ids = random_ids(gpt.config(), "ids");
  const at::Tensor last = logits_of(gpt, ids).select(1, 4);
  for (std::int64_t t = 0; t < 5; ++t) {
    at::Tensor changed = ids.clone();
    changed.select(1, t).add_(1).remainder_(7);
    EXPECT_FALSE(last.equal(logits_of(gpt, changed).select(1, 4))) << "token " << t;
  }
}

/// (loss(p + h u) - loss(p - h u)) / 2h along a random direction u of one tensor.
double slope_by_differences(const Gpt& gpt, at::Tensor value, const at::Tensor& direction) {
  constexpr double kStep = 1e-5;
  const c10::NoGradGuard no_grad;
  const at::Tensor here = value.clone();
  value.add_(direction, kStep);
  const double above = loss_of(gpt);
  value.copy_(here).sub_(direction, kStep);
  const double below = loss_of(gpt);
  value.copy_(here);
  return (above - below) / (2 * kStep);
}

at::Tensor random_direction(const at::Tensor& like, const std::string& name) {
  at::Tensor direction = at::empty(like.sizes(), at::kDouble);
  RandomStream stream(8, name);
  auto* values = direction.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < direction.numel(); ++i) values[i] = stream.normal();
  return direction;
}

void expect_gradients_are_slopes(const ModelConfig& config) {
  const Gpt gpt = make_gpt(config);
  stir(gpt);
  gpt.loss(random_ids(config, "ids"), random_ids(config, "targets")).backward();
  for (const Parameter& parameter : gpt.parameters()) {
    const at::Tensor direction = random_direction(parameter.value, parameter.name);
    const double slope = slope_by_differences(gpt, parameter.value, direction);
    const double gradient = (parameter.value.grad() * direction).sum().item<double>();
    EXPECT_NEAR(gradient, slope, 1e-7 * std::max(1.0, std::abs(slope))) << parameter.name;
    EXPECT_GT(parameter.value.grad().abs().max().item<double>(), 0) << parameter.name;
  }
}

TEST_P(EveryModel, HasGradientsThatAreItsSlopes) {
  expect_gradients_are_slopes(tiny_config(GetParam()));
}

TEST_P(EveryModel, HasGradientsThatAreItsSlopesWithBiasesAndItsOwnHead) {
  ModelConfig config = tiny_config(GetParam());
  config.bias = true;
  config.tie_weights = false;
  expect_gradients_are_slopes(config);
}

TEST_P(EveryModel, LosesItsLossToANanInAnyTensor) {
  const Gpt pattern = make_gpt(tiny_config(GetParam()));
  for (const Parameter& parameter : pattern.parameters()) {
    const Gpt gpt = make_gpt(tiny_config(GetParam()));
    {
      const c10::NoGradGuard no_grad;
      value_of(gpt, parameter.name).view(-1)[0] = kNan;
    }
    const at::Tensor loss =
        gpt.loss(random_ids(gpt.config(), "ids"), random_ids(gpt.config(), "targets"));
    EXPECT_TRUE(std::isnan(loss.item<double>())) << parameter.name;
    loss.backward();
    EXPECT_TRUE(std::isnan(clip_gradients(gpt.parameters(), 1.0).item<double>())) << parameter.name;
  }
}

TEST_P(EveryModel, ComputesTheSameBitsTwice) {
  const auto gradients = [] {
    const Gpt gpt(tiny_config(GetParam()), at::kFloat, at::kCPU, 1);
    gpt.loss(random_ids(gpt.config(), "ids"), random_ids(gpt.config(), "targets")).backward();
    std::vector<at::Tensor> all;
    for (const Parameter& parameter : gpt.parameters()) all.push_back(parameter.value.grad());
    return all;
  };
  const std::vector<at::Tensor> once = gradients();
  const std::vector<at::Tensor> again = gradients();
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(once[i].equal(again[i]));
}

TEST(GptDropout, DependsOnSeedAndStep) {
  ModelConfig config = tiny_config();
  config.dropout = 0.3;
  const Gpt gpt = make_gpt(config);
  const DropoutDraw draw{1, 7};
  const DropoutDraw next{1, 8};
  EXPECT_EQ(loss_of(gpt, &draw), loss_of(gpt, &draw));
  EXPECT_NE(loss_of(gpt, &draw), loss_of(gpt, &next));
}

TEST(GptDropout, IsOffInEvaluation) {
  ModelConfig config = tiny_config();
  const double without = loss_of(make_gpt(config));
  config.dropout = 0.3;
  EXPECT_EQ(loss_of(make_gpt(config)), without);
}

TEST(GptDropout, DropsDifferentEntriesInEveryLayer) {
  ModelConfig config = tiny_config();
  config.dropout = 0.3;
  const Gpt gpt = make_gpt(config);
  const DropoutDraw draw{1, 7};
  const at::Tensor ones = at::ones({kBatch, 5, 8}, at::kDouble);
  EXPECT_FALSE(dropout(ones, 0.3, &draw, "h.0.mlp.dropout")
                   .equal(dropout(ones, 0.3, &draw, "h.1.mlp.dropout")));
}

}  // namespace
}  // namespace sweep
