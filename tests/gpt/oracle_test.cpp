// Compares the model with tests/reference/gpt_oracle.py, which shares no code with it.
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gpt/model.h"
#include "gpt/optimizer.h"
#include "sweep/base/json.h"
#include "sweep/base/version.h"

namespace sweep {
namespace {

Json golden() {
  return read_json(std::filesystem::path(source_folder()) / "tests/golden/gpt_oracle.json");
}

std::uint32_t hash32(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x85EBCA6BU;
  x ^= x >> 13U;
  x *= 0xC2B2AE35U;
  return x ^ (x >> 16U);
}

double unit(std::uint32_t stream, std::uint32_t i) {
  return (hash32(7919U * stream + i + 1U) >> 8U) * 0x1p-24 - 0.5;
}

double start(const std::string& name, double value) {
  if (name.ends_with("qk_scale")) return 3 + value;
  const bool gain = name.ends_with(".weight") && (name.find("ln_") != std::string::npos ||
                                                  name.find("norm") != std::string::npos);
  return gain ? 1 + value / 2 : value;
}

ModelConfig model_of(const Json& sizes, const Json& oracle) {
  Json json = to_json(Config{});
  for (const char* name : {"n_layer", "n_head", "n_embd", "block_size", "vocab_size"}) {
    json["model"][name] = sizes.at(name);
  }
  for (const char* name : {"qk_norm", "bias", "tie_weights"}) json["model"][name] = oracle.at(name);
  return config_from_json(json).model;
}

TrainConfig train_of(const Json& adamw, const Json& oracle) {
  Json json = to_json(Config{});
  for (const char* name : {"learning_rate", "weight_decay", "beta1", "beta2", "eps"}) {
    json["train"][name] = adamw.at(name);
  }
  for (const char* name : {"weight_decay_mode", "grad_clip"}) json["train"][name] = oracle.at(name);
  return config_from_json(json).train;
}

/// One case of the file, set up as the script sets it up.
class OracleCase {
 public:
  OracleCase(const Json& file, const Json& oracle)
      : sizes_(file.at("sizes")),
        oracle_(oracle),
        gpt_(model_of(sizes_, oracle), at::kDouble, at::kCPU, 0),
        adamw_(train_of(file.at("adamw"), oracle), gpt_.parameters()),
        rates_(file.at("adamw").at("rates")) {
    const c10::NoGradGuard no_grad;
    std::uint32_t stream = 0;
    for (const Parameter& p : gpt_.parameters()) {
      auto* values = p.value.mutable_data_ptr<double>();
      for (std::int64_t i = 0; i < p.value.numel(); ++i) {
        values[i] = start(p.name, unit(stream, static_cast<std::uint32_t>(i)));
      }
      ++stream;
    }
  }

  void compare_first_pass() {
    const at::Tensor batch = tokens(0);
    expect_near(gpt_.logits(inputs(batch)).detach().reshape(-1), oracle_.at("logits"), "logits");
    const at::Tensor loss = gpt_.loss(inputs(batch), targets(batch));
    EXPECT_NEAR(loss.item<double>(), oracle_.at("loss"), kTolerance);
    loss.backward();
    for (const Parameter& p : gpt_.parameters()) {
      expect_near(digest(p.value.grad()), oracle_.at("gradients").at(p.name), p.name);
    }
    EXPECT_EQ(gpt_.parameters().size(), oracle_.at("gradients").size());
  }

  void compare_three_updates() {
    for (std::uint32_t step = 0; step < 3; ++step) {
      clear_gradients(gpt_.parameters());
      const at::Tensor batch = tokens(step);
      const at::Tensor loss = gpt_.loss(inputs(batch), targets(batch));
      loss.backward();
      EXPECT_NEAR(loss.item<double>(), oracle_.at("losses").at(step), kTolerance);
      EXPECT_NEAR(clip_gradients(gpt_.parameters(), oracle_.at("grad_clip")).item<double>(),
                  oracle_.at("gradient_norms").at(step), kTolerance);
      adamw_.step(rates_.at(step));
    }
    for (const Parameter& p : gpt_.parameters()) {
      expect_near(digest(p.value), oracle_.at("updated").at(p.name), p.name);
    }
  }

 private:
  static constexpr double kTolerance = 1e-10;

  [[nodiscard]] at::Tensor tokens(std::uint32_t step) const {
    const std::int64_t rows = sizes_.at("batch_size");
    const std::int64_t columns = sizes_.at("block_size").get<std::int64_t>() + 1;
    at::Tensor ids = at::empty({rows, columns}, at::kLong);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const std::uint32_t x = hash32(1000003U * (step + 1) + static_cast<std::uint32_t>(i));
      ids.mutable_data_ptr<std::int64_t>()[i] = x % sizes_.at("vocab_size").get<std::uint32_t>();
    }
    return ids;
  }

  static at::Tensor inputs(const at::Tensor& batch) {
    return batch.narrow(1, 0, batch.size(1) - 1);
  }
  static at::Tensor targets(const at::Tensor& batch) {
    return batch.narrow(1, 1, batch.size(1) - 1);
  }

  [[nodiscard]] at::Tensor digest(const at::Tensor& tensor) const {
    const at::Tensor flat = tensor.detach().reshape(-1);
    if (oracle_.at("full")) return flat;
    at::Tensor weights = at::empty_like(flat);
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      weights.mutable_data_ptr<double>()[i] = unit(99, static_cast<std::uint32_t>(i));
    }
    return at::stack({(flat * weights).sum(), flat.square().sum()});
  }

  static void expect_near(const at::Tensor& ours, const Json& theirs, const std::string& what) {
    ASSERT_EQ(ours.numel(), static_cast<std::int64_t>(theirs.size())) << what;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const double expected = theirs[i];
      EXPECT_NEAR(ours[static_cast<std::int64_t>(i)].item<double>(), expected,
                  kTolerance * std::max(1.0, std::abs(expected)))
          << what << " " << i;
    }
  }

  Json sizes_;
  Json oracle_;
  Gpt gpt_;
  AdamW adamw_;
  Json rates_;
};

class Oracle : public testing::TestWithParam<Json> {};

std::vector<Json> oracle_cases() {
  const Json file = golden();
  return {file.at("cases").begin(), file.at("cases").end()};
}

std::string name_of_case(const testing::TestParamInfo<Json>& info) { return info.param.at("name"); }

INSTANTIATE_TEST_SUITE_P(Cases, Oracle, testing::ValuesIn(oracle_cases()), name_of_case);

TEST_P(Oracle, AgreesOnLogitsLossAndEveryGradient) {
  OracleCase(golden(), GetParam()).compare_first_pass();
}

TEST_P(Oracle, AgreesOnThreeUpdates) { OracleCase(golden(), GetParam()).compare_three_updates(); }

TEST(OracleFile, CoversEveryQkNorm) {
  std::vector<std::string> covered;
  for (const Json& oracle : oracle_cases()) covered.push_back(oracle.at("qk_norm"));
  for (const std::string& variant : find_field("model.qk_norm")->choices) {
    EXPECT_NE(std::find(covered.begin(), covered.end(), variant), covered.end()) << variant;
  }
}

}  // namespace
}  // namespace sweep
