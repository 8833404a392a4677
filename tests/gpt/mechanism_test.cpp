#include "gpt/mechanism.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "gpt/mechanism_values.h"
#include "gpt/optimizer.h"
#include "gpt/synthetic_tokens.h"
#include "gpt/tiny_gpt.h"
#include "sweep/prereg/mechanism_quantities.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::Lt;

constexpr std::int64_t kBatch = 3;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadSize = 4;

double value_of(const NamedValues& values, const std::string& name) {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

std::vector<std::string> names_of(const NamedValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

/// (B, T, H, Dh) filled with `value`.
at::Tensor heads_of(std::int64_t length, double value) {
  return at::full({kBatch, length, kHeads, kHeadSize}, value, at::kDouble);
}

/// What a probe of one layer says of these queries and keys, used as they are.
NamedValues values_of(const std::string& quantity, const at::Tensor& q, const at::Tensor& k,
                      double scale = 1) {
  MechanismProbe probe({quantity}, 1);
  probe.see_queries_and_keys(0, q, k, {q, k, scale});
  return probe.values();
}

double mean_of_log_factorial(int length) {
  double sum = 0;
  for (int i = 1; i <= length; ++i) sum += std::log(i);
  return sum / length;
}

TEST(AttentionEntropy, OfEqualLogitsIsThatOfAFairChoiceAmongThePast) {
  for (const int length : {1, 2, 64}) {
    const at::Tensor zeros = heads_of(length, 0);
    const NamedValues values = values_of("attention_entropy", zeros, zeros);
    EXPECT_NEAR(value_of(values, "attention_entropy"), mean_of_log_factorial(length), 1e-12);
    EXPECT_NEAR(value_of(values, "attention_entropy/min"), mean_of_log_factorial(length), 1e-12);
  }
  EXPECT_NEAR(mean_of_log_factorial(64), 3.206, 1e-3);
}

TEST(AttentionEntropy, VanishesWhenEachQueryKnowsOneKeyAndNamesTheCollapsedHead) {
  // Keys grow along the row, so that each query prefers itself; in head 1 not at all.
  const at::Tensor q = heads_of(8, 1);
  at::Tensor k = heads_of(8, 0);
  k.select(2, 0).copy_(at::arange(8, at::kDouble).mul(100).view({1, 8, 1}));
  const NamedValues values = values_of("attention_entropy", q, k);
  EXPECT_NEAR(value_of(values, "attention_entropy/min"), 0, 1e-12);
  EXPECT_NEAR(value_of(values, "attention_entropy"), mean_of_log_factorial(8) / 2, 1e-12);
}

TEST(MaxAttentionLogit, IsTheLargestCausalOneAfterTheScale) {
  at::Tensor q = heads_of(3, 0);
  at::Tensor k = heads_of(3, 0);
  q[0][1] = 1;
  k[0][0] = 2;   // the past of query 1
  k[0][2] = 50;  // its future, which must not count
  const NamedValues values = values_of("max_attention_logit", q, k, 0.5);
  EXPECT_EQ(value_of(values, "max_attention_logit"), 0.5 * 2 * kHeadSize);
  EXPECT_EQ(value_of(values, "max_attention_logit/L0"), 0.5 * 2 * kHeadSize);
}

TEST(MaxAttentionLogit, KeepsItsSign) {
  const NamedValues values = values_of("max_attention_logit", heads_of(3, 1), heads_of(3, -1));
  EXPECT_EQ(value_of(values, "max_attention_logit"), -kHeadSize);
}

TEST(MaxAttentionLogit, OfNonFiniteLogitsIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NamedValues values = values_of("max_attention_logit", heads_of(3, nan), heads_of(3, 1));
  EXPECT_EQ(value_of(values, "max_attention_logit"), std::numeric_limits<double>::infinity());
}

TEST(MaxAbsAttentionLogit, DropsItsSignAndLooksAtThePastOnly) {
  at::Tensor q = heads_of(3, 0);
  at::Tensor k = heads_of(3, 0);
  q[0][1] = 1;
  k[0][0] = -2;
  k[0][2] = 50;
  const NamedValues values = values_of("max_abs_attention_logit", q, k);
  EXPECT_EQ(value_of(values, "max_abs_attention_logit"), 2 * kHeadSize);
  EXPECT_EQ(value_of(values_of("max_attention_logit", q, k), "max_attention_logit"), 0);
}

TEST(MaxAttentionLogit, IsKnownOfEachHead) {
  at::Tensor k = heads_of(3, 1);
  k.select(2, 1).fill_(3);
  const NamedValues values = values_of("max_attention_logit", heads_of(3, 1), k);
  EXPECT_EQ(value_of(values, "max_attention_logit/L0/H0"), kHeadSize);
  EXPECT_EQ(value_of(values, "max_attention_logit/L0/H1"), 3 * kHeadSize);
}

TEST(NormalisedEntropy, IsOneForEqualLogitsAndLeavesTheFirstQueryOut) {
  const NamedValues values =
      values_of("attention_entropy_normalised", heads_of(9, 0), heads_of(9, 0));
  EXPECT_NEAR(value_of(values, "attention_entropy_normalised"), 1, 1e-12);
  EXPECT_NEAR(value_of(values, "attention_entropy_normalised/min"), 1, 1e-12);
}

TEST(AttentionEntropy, OfHugeLogitsIsThatOfTheirDifferences) {
  // Two keys that tie far above a third: ln 2 for query 3, whatever the height.
  at::Tensor k = heads_of(3, 0);
  k.slice(1, 0, 2).fill_(1e4);
  const NamedValues values =
      values_of("attention_entropy", heads_of(3, 1).to(at::kFloat), k.to(at::kFloat));
  EXPECT_NEAR(value_of(values, "attention_entropy"), 2 * std::log(2) / 3, 1e-6);
}

TEST(AttentionSink, CountsWindowsAndHeadsWhoseAttentionRestsOnTheFirstToken) {
  const at::Tensor q = heads_of(16, 1);
  at::Tensor k = heads_of(16, 0);  // equal attention: (1/16) sum of 1/i is .21
  EXPECT_EQ(value_of(values_of("attention_sink", q, k), "attention_sink"), 0);
  k[0][0][1].fill_(100);  // one window of three, in head 1
  const NamedValues values = values_of("attention_sink", q, k);
  EXPECT_NEAR(value_of(values, "attention_sink"), 1.0 / 6, 1e-12);
  EXPECT_NEAR(value_of(values, "attention_sink/L0/H1"), 1.0 / 3, 1e-12);
  EXPECT_EQ(value_of(values, "attention_sink/L0/H0"), 0);
}

TEST(QkRms, IsTakenBeforeTheNormOverQueriesAndKeys) {
  MechanismProbe probe({"qk_rms"}, 2);
  const at::Tensor ones = heads_of(3, 1);
  probe.see_queries_and_keys(0, heads_of(3, -3), heads_of(3, 4), {ones, ones, 1});
  probe.see_queries_and_keys(1, heads_of(3, 1), heads_of(3, 2), {ones, ones, 1});
  const NamedValues values = probe.values();
  EXPECT_NEAR(value_of(values, "qk_rms"), std::sqrt((9.0 + 16 + 1 + 4) / 4), 1e-12);
  EXPECT_NEAR(value_of(values, "qk_rms/q/L0"), 3, 1e-12);
  EXPECT_NEAR(value_of(values, "qk_rms/k/L0"), 4, 1e-12);
  EXPECT_NEAR(value_of(values, "qk_rms/k/L1"), 2, 1e-12);
}

double kurtosis_of(const at::Tensor& x) {
  MechanismProbe probe({"kurtosis_rms_token"}, 1);
  probe.see_block_input(0, x);
  return value_of(probe.values(), "kurtosis_rms_token");
}

TEST(Kurtosis, RunsFromOneForEqualFeaturesToTheirNumberForASingleOne) {
  EXPECT_NEAR(kurtosis_of(at::full({2, 5, 16}, -0.3, at::kDouble)), 1, 1e-12);
  at::Tensor spike = at::zeros({2, 5, 16}, at::kDouble);
  spike.select(-1, 7).fill_(2.5);
  EXPECT_NEAR(kurtosis_of(spike), 16, 1e-12);
}

TEST(Kurtosis, IsTheMeanOverTokensOfEveryBatchShown) {
  MechanismProbe probe({"kurtosis_rms_token"}, 1);
  at::Tensor spike = at::zeros({1, 1, 16}, at::kDouble);
  spike[0][0][3] = 1;
  probe.see_block_input(0, spike);
  probe.see_block_input(0, at::ones({1, 3, 16}, at::kDouble));
  EXPECT_NEAR(value_of(probe.values(), "kurtosis_rms_token"), (16.0 + 3 * 1) / 4, 1e-12);
}

TEST(ExcessKurtosis, IsCentredAndThatOfTheWholeTensor) {
  // +1 and -1 about 1000: fourth moment 1, variance 1.
  at::Tensor x = at::full({2, 5, 16}, 1001.0, at::kDouble);
  x.slice(-1, 0, 8).fill_(999);
  MechanismProbe probe({"kurtosis_excess_tensor"}, 1);
  probe.see_block_input(0, x);
  EXPECT_NEAR(value_of(probe.values(), "kurtosis_excess_tensor"), 1 - 3, 1e-12);
  at::Tensor spike = at::zeros({1, 1, 10}, at::kDouble);  // p = .1: (1 - 3p(1-p))/(p(1-p)) - 3
  spike[0][0][3] = 5;
  MechanismProbe other({"kurtosis_excess_tensor"}, 1);
  other.see_block_input(0, spike);
  EXPECT_NEAR(value_of(other.values(), "kurtosis_excess_tensor"), (1 - 0.27) / 0.09 - 3, 1e-12);
}

TEST(ExcessKurtosis, IsTheSameInOneBatchOrInMany) {
  const at::Tensor x = at::arange(240, at::kDouble).square().sin().add(7).view({6, 5, 8});
  MechanismProbe whole({"kurtosis_excess_tensor"}, 1);
  MechanismProbe parts({"kurtosis_excess_tensor"}, 1);
  whole.see_block_input(0, x);
  for (const std::int64_t i : {5, 0, 3, 1, 2, 4}) parts.see_block_input(0, x.narrow(0, i, 1));
  EXPECT_NEAR(value_of(parts.values(), "kurtosis_excess_tensor"),
              value_of(whole.values(), "kurtosis_excess_tensor"), 1e-12);
}

TEST(Kurtosis, NamesTheTensorItIsOf) {
  MechanismProbe probe({"kurtosis_rms_token"}, 1);
  at::Tensor spike = at::zeros({1, 1, 16}, at::kDouble);
  spike[0][0][3] = 1;
  probe.see_block_input(0, at::ones({1, 1, 16}, at::kDouble));
  probe.see_branch(0, Branch::kAttention, spike);
  probe.see_branch(0, Branch::kMlp, at::ones({1, 1, 16}, at::kDouble));
  EXPECT_NEAR(value_of(probe.values(), "kurtosis_rms_token"), 1, 1e-12);
  EXPECT_NEAR(value_of(probe.values(), "kurtosis_rms_token/attention_out/L0"), 16, 1e-12);
  EXPECT_NEAR(value_of(probe.values(), "kurtosis_rms_token/mlp_out"), 1, 1e-12);
}

TEST(MassiveActivation, IsTheLogarithmOfTheLargestEntryOverItsWindowsMedian) {
  at::Tensor x = at::full({2, 5, 16}, -0.5, at::kDouble);
  x[1][2][3] = -50;
  x[1][4][3] = 20;
  MechanismProbe probe({"massive_activation"}, 1);
  probe.see_block_input(0, x);
  probe.see_last_residual(at::arange(1, 5, at::kDouble).view({1, 2, 2}));
  const NamedValues values = probe.values();
  EXPECT_NEAR(value_of(values, "massive_activation"), std::log(100), 1e-12);
  EXPECT_NEAR(value_of(values, "massive_activation/out"), std::log(4 / 2.5), 1e-12);
  EXPECT_EQ(value_of(values, "massive_activation/top1/L0"), 50);
  EXPECT_EQ(value_of(values, "massive_activation/top2/L0"), 20);
  EXPECT_EQ(value_of(values, "massive_activation/top3/L0"), 0.5);
}

TEST(LogZ, OfEqualLogitsIsThatOfTheVocabularyAndTheirHeight) {
  MechanismProbe probe({"log_z"}, 1);
  probe.see_output(at::full({2, 3, 7}, 1.5, at::kDouble));
  EXPECT_NEAR(value_of(probe.values(), "log_z"), 1.5 + std::log(7), 1e-12);
}

TEST(QkGain, IsTheLargestOfEachLayerAndAbsentWithoutGains) {
  std::vector<Parameter> parameters = {
      {"transformer.h.0.attn.q_norm.weight", at::tensor({1.0, -3.0}, at::kDouble), false},
      {"transformer.h.0.attn.k_norm.weight", at::tensor({0.5, 2.0}, at::kDouble), false},
      {"transformer.h.0.mlp.c_fc.weight", at::tensor({9.0}, at::kDouble), true},
      {"transformer.h.11.attn.qk_scale", at::scalar_tensor(4.0, at::kDouble), false}};
  MechanismProbe probe({"qk_gain"}, 12);
  probe.see_parameters(parameters);
  EXPECT_EQ(value_of(probe.values(), "qk_gain"), 4);
  EXPECT_EQ(value_of(probe.values(), "qk_gain/q/L0"), 3);
  EXPECT_EQ(value_of(probe.values(), "qk_gain/k/L0"), 2);
  EXPECT_EQ(value_of(probe.values(), "qk_gain/scale/L11"), 4);
  MechanismProbe without({"qk_gain"}, 1);
  without.see_parameters({parameters[2]});
  EXPECT_TRUE(without.values().empty());
}

TEST(UpdateRms, IsThatOfTheUpdateMadePerLearningRate) {
  TrainConfig config;
  config.weight_decay = 0;
  const Gpt model(tiny_config(), at::kDouble, at::kCPU, 1);
  AdamW adam(config, model.parameters());
  std::vector<at::Tensor> before;
  for (int step = 0; step < 3; ++step) {
    before.clear();
    for (const Parameter& parameter : model.parameters()) {
      before.push_back(parameter.value.detach().clone());
      parameter.value.mutable_grad() = (parameter.value.detach() * (step + 3)).sin();
    }
    adam.step(0.01);
  }
  double squares = 0;
  double entries = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const at::Tensor update = (model.parameters()[i].value.detach() - before[i]) / 0.01;
    squares += update.square().sum().item<double>();
    entries += static_cast<double>(update.numel());
  }
  MechanismProbe probe({"update_rms"}, 2);
  const AdamMoments moments{adam.first_moments(), adam.second_moments(), adam.steps_made(),
                            config.beta1,         config.beta2,          config.eps};
  probe.see_moments(model.parameters(), moments);
  EXPECT_NEAR(value_of(probe.values(), "update_rms"), std::sqrt(squares / entries), 1e-9);
  EXPECT_GT(value_of(probe.values(), "update_rms/L1"), value_of(probe.values(), "update_rms/min"));
}

TEST(UpdateRms, IsAbsentBeforeTheFirstUpdate) {
  const Gpt model(tiny_config(), at::kDouble, at::kCPU, 1);
  const AdamW adam(TrainConfig{}, model.parameters());
  MechanismProbe probe({"update_rms"}, 2);
  probe.see_moments(model.parameters(), {adam.first_moments(), adam.second_moments(), 0});
  EXPECT_TRUE(probe.values().empty());
}

TEST(MechanismProbe, HasAFormulaForEveryQuantityThatCanBeRegistered) {
  const auto registered = mechanism_quantities();
  EXPECT_EQ(mechanism_formulas().size(), registered.size());
  for (const MechanismQuantity& quantity : registered) {
    EXPECT_TRUE(mechanism_formulas().contains(quantity.name)) << quantity.name;
  }
}

TEST(MechanismProbe, GivesLayersAnAggregateAndTheirExtremesInTheOrderAskedFor) {
  MechanismProbe probe({"residual_rms", "max_attention_logit"}, 2);
  for (const std::int64_t layer : {0, 1}) {
    probe.see_block_input(layer, at::ones({1, 3, 8}, at::kDouble));
    probe.see_queries_and_keys(layer, heads_of(3, 1), heads_of(3, 1),
                               {heads_of(3, 1), heads_of(3, 1), static_cast<double>(layer)});
  }
  probe.see_last_residual(at::ones({1, 3, 8}, at::kDouble));
  EXPECT_THAT(
      names_of(probe.values()),
      ElementsAre("residual_rms", "residual_rms/L0", "residual_rms/L1", "residual_rms/out",
                  "max_attention_logit", "max_attention_logit/L0", "max_attention_logit/L0/H0",
                  "max_attention_logit/L0/H1", "max_attention_logit/L1",
                  "max_attention_logit/L1/H0", "max_attention_logit/L1/H1"));
  EXPECT_EQ(value_of(probe.values(), "max_attention_logit"), kHeadSize);
}

TEST(MechanismProbe, SeesTheLogitBoundOfEveryPerHeadNorm) {
  const std::vector<Token> tokens = synthetic_tokens(7, 200);
  for (const QkNorm variant : {QkNorm::kRmsPerHead, QkNorm::kLnPerHead, QkNorm::kRmsNoaffine}) {
    const ModelConfig config = tiny_config(variant);
    const Gpt model(config, at::kFloat, at::kCPU, 1);
    const NamedValues values =
        measure_mechanism(model, {tokens, 0, 4}, {"max_attention_logit"}, at::kCPU, [] {});
    const double bound = std::sqrt(static_cast<double>(config.n_embd / config.n_head));
    EXPECT_THAT(value_of(values, "max_attention_logit"), Lt(bound + 1e-5)) << to_string(variant);
    EXPECT_THAT(value_of(values, "max_attention_logit"), Gt(0)) << to_string(variant);
  }
}

TEST(MechanismProbe, SaysTheSameHoweverTheWindowsAreChunked) {
  const std::vector<Token> tokens = synthetic_tokens(7, 60);
  const Gpt model(tiny_config(), at::kDouble, at::kCPU, 1);
  const std::vector<std::string> all = find_field("measure.mechanism")->choices;
  ASSERT_FALSE(all.empty());
  const NamedValues whole = measure_mechanism(model, {tokens, 0, 11}, all, at::kCPU, [] {});
  const NamedValues parts = measure_mechanism(model, {tokens, 0, 2}, all, at::kCPU, [] {});
  ASSERT_EQ(names_of(whole), names_of(parts));
  for (const auto& [name, value] : whole) {
    EXPECT_NEAR(value_of(parts, name), value, 1e-9) << name;
    EXPECT_TRUE(std::isfinite(value)) << name;
  }
}

}  // namespace
}  // namespace sweep
