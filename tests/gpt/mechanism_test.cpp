#include "gpt/mechanism.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "gpt/synthetic_tokens.h"
#include "gpt/tiny_gpt.h"

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

TEST(MechanismProbe, GivesLayersAnAggregateAndTheirExtremesInTheOrderAskedFor) {
  MechanismProbe probe({"kurtosis_rms_token", "max_attention_logit"}, 2);
  for (const std::int64_t layer : {0, 1}) {
    probe.see_block_input(layer, at::ones({1, 3, 8}, at::kDouble));
    probe.see_queries_and_keys(layer, heads_of(3, 1), heads_of(3, 1),
                               {heads_of(3, 1), heads_of(3, 1), static_cast<double>(layer)});
  }
  EXPECT_THAT(names_of(probe.values()),
              ElementsAre("kurtosis_rms_token", "kurtosis_rms_token/L0", "kurtosis_rms_token/L1",
                          "kurtosis_rms_token/max", "max_attention_logit", "max_attention_logit/L0",
                          "max_attention_logit/L1"));
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
