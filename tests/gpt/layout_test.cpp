#include "gpt/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "gpt/tiny_gpt.h"
#include "sweep/prereg/run_spec.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::vector<std::string> names_of(const ModelConfig& config) {
  std::vector<std::string> names;
  for (const TensorPlan& plan : plan_tensors(config)) names.push_back(plan.name);
  return names;
}

std::map<std::string, std::vector<double>> weights_of(const ModelConfig& config,
                                                      std::uint64_t seed) {
  std::map<std::string, std::vector<double>> weights;
  for (const TensorPlan& plan : plan_tensors(config)) {
    weights[plan.name] = initial_values(plan, seed);
  }
  return weights;
}

bool ends_with(const std::string& text, const std::string& end) { return text.ends_with(end); }

TEST(Layout, HasNanogptsNamesInItsOrder) {
  ModelConfig config = tiny_config();
  config.n_layer = 1;
  EXPECT_THAT(
      names_of(config),
      ElementsAre("transformer.wte.weight", "transformer.wpe.weight", "transformer.h.0.ln_1.weight",
                  "transformer.h.0.attn.c_attn.weight", "transformer.h.0.attn.c_proj.weight",
                  "transformer.h.0.ln_2.weight", "transformer.h.0.mlp.c_fc.weight",
                  "transformer.h.0.mlp.c_proj.weight", "transformer.ln_f.weight"));
}

TEST(Layout, PutsBiasesAfterTheirWeightsAndNoneOnTheHead) {
  ModelConfig config = tiny_config();
  config.n_layer = 1;
  config.bias = true;
  config.tie_weights = false;
  EXPECT_THAT(names_of(config),
              ElementsAre("transformer.wte.weight", "transformer.wpe.weight",
                          "transformer.h.0.ln_1.weight", "transformer.h.0.ln_1.bias",
                          "transformer.h.0.attn.c_attn.weight", "transformer.h.0.attn.c_attn.bias",
                          "transformer.h.0.attn.c_proj.weight", "transformer.h.0.attn.c_proj.bias",
                          "transformer.h.0.ln_2.weight", "transformer.h.0.ln_2.bias",
                          "transformer.h.0.mlp.c_fc.weight", "transformer.h.0.mlp.c_fc.bias",
                          "transformer.h.0.mlp.c_proj.weight", "transformer.h.0.mlp.c_proj.bias",
                          "transformer.ln_f.weight", "transformer.ln_f.bias", "lm_head.weight"));
}

// GPT-2 small, the number that nanoGPT's README and model.py know.
TEST(Layout, CountsGpt2SmallRight) {
  ModelConfig config;
  config.n_layer = 12;
  config.n_head = 12;
  config.n_embd = 768;
  config.block_size = 1024;
  config.vocab_size = 50257;
  config.bias = true;
  std::int64_t total = 0;
  for (const TensorPlan& plan : plan_tensors(config)) total += plan.size();
  EXPECT_EQ(total, 124'439'808);
}

class EveryQkNorm : public testing::TestWithParam<QkNorm> {};
INSTANTIATE_TEST_SUITE_P(Layout, EveryQkNorm, testing::ValuesIn(all_qk_norms()), name_of_qk_norm);

TEST_P(EveryQkNorm, HasAsManyParametersAsTheClosedFormSays) {
  for (const bool bias : {false, true}) {
    for (const bool tie : {false, true}) {
      ModelConfig config = tiny_config(GetParam());
      config.bias = bias;
      config.tie_weights = tie;
      std::int64_t total = 0;
      std::int64_t qk = 0;
      for (const TensorPlan& plan : plan_tensors(config)) {
        total += plan.size();
        if (plan.name.find("_norm.") != std::string::npos || ends_with(plan.name, "qk_scale")) {
          qk += plan.size();
        }
      }
      EXPECT_EQ(total, count_parameters(config).total);
      EXPECT_EQ(qk, count_parameters(config).qk_norm);
    }
  }
}

TEST_P(EveryQkNorm, LeavesAllOtherInitialWeightsAsTheyWere) {
  const auto off = weights_of(tiny_config(), 3);
  const auto on = weights_of(tiny_config(GetParam()), 3);
  for (const auto& [name, values] : off) EXPECT_EQ(on.at(name), values) << name;
}

TEST_P(EveryQkNorm, StartsItsGainsAtOneAndItsScaleAtHenrysValue) {
  for (const TensorPlan& plan : plan_tensors(tiny_config(GetParam()))) {
    if (plan.name.find("_norm.") != std::string::npos) {
      EXPECT_THAT(initial_values(plan, 1), testing::Each(1.0));
    } else if (ends_with(plan.name, "qk_scale")) {
      EXPECT_THAT(initial_values(plan, 1), ElementsAre(std::log2(5.0 * 5 - 5)));
    }
  }
}

TEST_P(EveryQkNorm, DecaysMatricesAndEmbeddingsOnly) {
  ModelConfig config = tiny_config(GetParam());
  config.bias = true;
  config.tie_weights = false;
  for (const TensorPlan& plan : plan_tensors(config)) {
    const bool vector = ends_with(plan.name, ".bias") || ends_with(plan.name, "qk_scale") ||
                        plan.name.find("ln_") != std::string::npos ||
                        plan.name.find("_norm.") != std::string::npos;
    EXPECT_EQ(plan.decayed(), !vector) << plan.name;
  }
}

TEST(InitialWeights, DoNotDependOnTheDepthButForTheResidualScale) {
  ModelConfig deep = tiny_config();
  deep.n_layer = 8;
  const auto two = weights_of(tiny_config(), 3);
  const auto eight = weights_of(deep, 3);
  for (const auto& [name, values] : two) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double scale = ends_with(name, "c_proj.weight") ? 0.5 : 1;
      EXPECT_DOUBLE_EQ(eight.at(name)[i], scale * values[i]) << name;
    }
  }
}

TEST(InitialWeights, DoNotDependOnTheDepthAtAllWithFanIn) {
  ModelConfig shallow = tiny_config();
  shallow.init = Init::kFanIn;
  ModelConfig deep = shallow;
  deep.n_layer = 8;
  const auto eight = weights_of(deep, 3);
  for (const auto& [name, values] : weights_of(shallow, 3)) EXPECT_EQ(eight.at(name), values);
}

TEST(InitialWeights, DependOnTheSeed) {
  const auto one = weights_of(tiny_config(), 1);
  const auto two = weights_of(tiny_config(), 2);
  EXPECT_NE(one.at("transformer.wte.weight"), two.at("transformer.wte.weight"));
}

TEST(InitialWeights, DifferBetweenLayers) {
  const auto weights = weights_of(tiny_config(), 1);
  EXPECT_NE(weights.at("transformer.h.0.mlp.c_fc.weight"),
            weights.at("transformer.h.1.mlp.c_fc.weight"));
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double std_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double x : values) squares += x * x;
  return std::sqrt(squares / static_cast<double>(values.size()) - std::pow(mean_of(values), 2));
}

/// What the paper or nanoGPT says, not what layout.cpp plans.
double expected_std(const std::string& name, const ModelConfig& config) {
  const auto d = static_cast<double>(config.n_embd);
  const bool nanogpt = config.init == Init::kNanogpt;
  if (ends_with(name, "c_proj.weight") && nanogpt) {
    return 0.02 / std::sqrt(2 * static_cast<double>(config.n_layer));
  }
  if (nanogpt) return 0.02;
  return 1 / std::sqrt(ends_with(name, "mlp.c_proj.weight") ? 4 * d : d);
}

class BothInits : public testing::TestWithParam<Init> {};
INSTANTIATE_TEST_SUITE_P(InitialWeights, BothInits, testing::Values(Init::kNanogpt, Init::kFanIn));

TEST_P(BothInits, HaveTheStandardDeviationOfTheirClass) {
  ModelConfig config = tiny_config();
  config.n_embd = 64;
  config.vocab_size = 100;
  config.block_size = 64;
  config.init = GetParam();
  config.tie_weights = false;
  for (const TensorPlan& plan : plan_tensors(config)) {
    const std::vector<double> values = initial_values(plan, 11);
    if (!plan.decayed()) {
      EXPECT_THAT(values, testing::Each(1.0)) << plan.name;
      continue;
    }
    const double std = expected_std(plan.name, config);
    const auto n = static_cast<double>(values.size());
    EXPECT_NEAR(std_of(values) / std, 1, 4.5 / std::sqrt(2 * n)) << plan.name;
    EXPECT_NEAR(mean_of(values) / std, 0, 4.5 / std::sqrt(n)) << plan.name;
  }
}

TEST(InitialWeights, OfBiasesAreZero) {
  ModelConfig config = tiny_config();
  config.bias = true;
  for (const TensorPlan& plan : plan_tensors(config)) {
    if (ends_with(plan.name, ".bias")) {
      EXPECT_THAT(initial_values(plan, 1), testing::Each(0.0)) << plan.name;
    }
  }
}

}  // namespace
}  // namespace sweep
