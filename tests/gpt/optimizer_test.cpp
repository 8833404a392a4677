#include "gpt/optimizer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpt/tensor_numbers.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

at::Tensor random_tensor(at::IntArrayRef shape, const std::string& name, std::uint64_t step,
                         at::ScalarType dtype) {
  at::Tensor tensor = at::empty(shape, at::kDouble);
  RandomStream stream(4, name, step);
  auto* values = tensor.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = stream.normal();
  return tensor.to(dtype);
}

Parameter make_parameter(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  return {name, random_tensor(shape, name, 0, dtype).set_requires_grad(true), shape.size() >= 2};
}

std::vector<Parameter> make_parameters(at::ScalarType dtype) {
  return {make_parameter("matrix", {5, 7}, dtype), make_parameter("gain", {9}, dtype),
          make_parameter("scale", {}, dtype), make_parameter("table", {3, 4}, dtype)};
}

void set_gradients(const std::vector<Parameter>& parameters, std::uint64_t step) {
  for (const Parameter& p : parameters) {
    p.value.mutable_grad() =
        random_tensor(p.value.sizes(), p.name + " gradient", step, p.value.scalar_type());
  }
}

/// AdamW as the paper has it, one number after another.
class PlainAdamW {
 public:
  PlainAdamW(const TrainConfig& config, const std::vector<Parameter>& parameters)
      : config_(config) {
    for (const Parameter& p : parameters) {
      const at::Tensor flat = p.value.detach().to(at::kDouble).reshape(-1).contiguous();
      const double* values = flat.const_data_ptr<double>();
      tensors_.push_back({{values, values + flat.numel()},
                          std::vector<double>(static_cast<std::size_t>(flat.numel())),
                          std::vector<double>(static_cast<std::size_t>(flat.numel())),
                          p.decayed});
    }
  }

  void step(const std::vector<Parameter>& parameters, double lr) {
    ++step_;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const at::Tensor g = parameters[i].value.grad().to(at::kDouble).reshape(-1).contiguous();
      for (std::size_t j = 0; j < tensors_[i].p.size(); ++j) {
        update(tensors_[i], j, g.const_data_ptr<double>()[j], lr);
      }
    }
  }

  [[nodiscard]] double value(std::size_t tensor, std::size_t i) const {
    return tensors_[tensor].p[i];
  }

 private:
  struct Numbers {
    std::vector<double> p, m, v;
    bool decayed;
  };

  void update(Numbers& t, std::size_t j, double g, double lr) const {
    if (t.decayed) {
      const bool independent = config_.weight_decay_mode == WeightDecayMode::kIndependent;
      const double rate = independent ? lr / config_.learning_rate : lr;
      t.p[j] -= rate * config_.weight_decay * t.p[j];
    }
    t.m[j] = config_.beta1 * t.m[j] + (1 - config_.beta1) * g;
    t.v[j] = config_.beta2 * t.v[j] + (1 - config_.beta2) * g * g;
    const double m_hat = t.m[j] / (1 - std::pow(config_.beta1, step_));
    const double v_hat = t.v[j] / (1 - std::pow(config_.beta2, step_));
    t.p[j] -= lr * m_hat / (std::sqrt(v_hat) + config_.eps);
  }

  TrainConfig config_;
  std::vector<Numbers> tensors_;
  int step_ = 0;
};

void expect_equal_to_plain_loop(const TrainConfig& config, at::ScalarType dtype, double tolerance) {
  const std::vector<Parameter> parameters = make_parameters(dtype);
  AdamW adamw(config, parameters);
  PlainAdamW plain(config, parameters);
  const std::vector<double> rates = {0.01, 0.02, 0.013, 0.004, 0.02};
  for (std::size_t step = 0; step < rates.size(); ++step) {
    set_gradients(parameters, step);
    adamw.step(rates[step]);
    plain.step(parameters, rates[step]);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor flat = parameters[i].value.detach().to(at::kDouble).reshape(-1);
    for (std::int64_t j = 0; j < flat.numel(); ++j) {
      EXPECT_NEAR(flat[j].item<double>(), plain.value(i, static_cast<std::size_t>(j)), tolerance)
          << parameters[i].name << " " << j;
    }
  }
}

class BothDecays : public testing::TestWithParam<WeightDecayMode> {};
INSTANTIATE_TEST_SUITE_P(AdamW, BothDecays,
                         testing::Values(WeightDecayMode::kCoupled, WeightDecayMode::kIndependent));

TEST_P(BothDecays, EqualAPlainLoop) {
  TrainConfig config;
  config.learning_rate = 0.02;
  config.weight_decay = 0.3;
  config.weight_decay_mode = GetParam();
  expect_equal_to_plain_loop(config, at::kDouble, 1e-13);
  expect_equal_to_plain_loop(config, at::kFloat, 1e-6);
}

TEST_P(BothDecays, AgreeWhereTheRateIsThePeakAndThePeakIsOne) {
  TrainConfig config;
  config.learning_rate = 1;
  config.weight_decay_mode = GetParam();
  const std::vector<Parameter> parameters = make_parameters(at::kDouble);
  const double before = parameters[0].value.detach().view(-1)[0].item<double>();
  for (const Parameter& p : parameters) p.value.mutable_grad() = at::zeros_like(p.value);
  AdamW(config, parameters).step(1);
  EXPECT_DOUBLE_EQ(parameters[0].value.detach().view(-1)[0].item<double>(), 0.9 * before);
}

TEST(AdamW, ShrinksMatricesOnlyWhenThereIsNoGradient) {
  const std::vector<Parameter> parameters = make_parameters(at::kDouble);
  std::vector<at::Tensor> before;
  for (const Parameter& p : parameters) {
    before.push_back(p.value.detach().clone());
    p.value.mutable_grad() = at::zeros_like(p.value);
  }
  AdamW({}, parameters).step(0.5);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor expected = parameters[i].decayed ? before[i] * (1 - 0.5 * 0.1) : before[i];
    EXPECT_TRUE(parameters[i].value.detach().allclose(expected, 1e-15, 0));
  }
}

TEST(AdamW, CarriesOnBitForBitFromCopiedMoments) {
  const std::vector<Parameter> one = make_parameters(at::kFloat);
  const std::vector<Parameter> other = make_parameters(at::kFloat);
  AdamW through({}, one);
  for (std::uint64_t step = 0; step < 3; ++step) {
    set_gradients(one, step);
    through.step(0.01);
  }
  AdamW resumed({}, other);
  {
    const c10::NoGradGuard no_grad;
    for (std::size_t i = 0; i < one.size(); ++i) {
      other[i].value.copy_(one[i].value);
      resumed.first_moments()[i].copy_(through.first_moments()[i]);
      resumed.second_moments()[i].copy_(through.second_moments()[i]);
    }
  }
  resumed.set_steps_made(through.steps_made());
  for (std::uint64_t step = 3; step < 5; ++step) {
    set_gradients(one, step);
    set_gradients(other, step);
    through.step(0.01);
    resumed.step(0.01);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(one[i].value.detach().equal(other[i].value.detach()));
  }
}

double norm_by_hand(const std::vector<Parameter>& parameters) {
  double squares = 0;
  for (const Parameter& p : parameters) {
    const at::Tensor flat = p.value.grad().reshape(-1);
    for (std::int64_t j = 0; j < flat.numel(); ++j) squares += std::pow(flat[j].item<double>(), 2);
  }
  return std::sqrt(squares);
}

TEST(ClipGradients, ScalesALongGradientToTheAllowedNorm) {
  const std::vector<Parameter> parameters = make_parameters(at::kDouble);
  set_gradients(parameters, 1);
  const double before = norm_by_hand(parameters);
  ASSERT_GT(before, 1.5);
  EXPECT_DOUBLE_EQ(number_of(clip_gradients(parameters, 1.5)), before);
  EXPECT_DOUBLE_EQ(norm_by_hand(parameters), before * (1.5 / (before + 1e-6)));
}

TEST(ClipGradients, LeavesAShortGradientAlone) {
  const std::vector<Parameter> parameters = make_parameters(at::kDouble);
  set_gradients(parameters, 1);
  const double before = norm_by_hand(parameters);
  EXPECT_DOUBLE_EQ(number_of(clip_gradients(parameters, before + 1)), before);
  EXPECT_EQ(norm_by_hand(parameters), before);
}

TEST(ClipGradients, OnlyMeasuresWhenOff) {
  const std::vector<Parameter> parameters = make_parameters(at::kDouble);
  set_gradients(parameters, 1);
  const double before = norm_by_hand(parameters);
  EXPECT_DOUBLE_EQ(number_of(clip_gradients(parameters, 0)), before);
  EXPECT_EQ(norm_by_hand(parameters), before);
}

TEST(ClipGradients, ReportsNonFiniteNorms) {
  const std::vector<Parameter> parameters = make_parameters(at::kFloat);
  set_gradients(parameters, 1);
  parameters[1].value.grad()[3] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(number_of(clip_gradients(parameters, 0))));
  parameters[1].value.grad()[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(number_of(clip_gradients(parameters, 0))));
}

TEST(LargestMagnitude, IsOfAllParametersAndCarriesWhatIsNotFinite) {
  const std::vector<Parameter> parameters = make_parameters(at::kFloat);
  const auto set = [&](float value) {
    const c10::NoGradGuard no_grad;
    parameters[3].value[1][2] = value;
    return number_of(largest_magnitude(parameters));
  };
  EXPECT_EQ(set(-7e30F), static_cast<double>(-7e30F) * -1);
  EXPECT_TRUE(std::isinf(set(-std::numeric_limits<float>::infinity())));
  EXPECT_TRUE(std::isnan(set(std::numeric_limits<float>::quiet_NaN())));
}

TEST(ClearGradients, LeavesNone) {
  const std::vector<Parameter> parameters = make_parameters(at::kFloat);
  set_gradients(parameters, 1);
  clear_gradients(parameters);
  for (const Parameter& p : parameters) EXPECT_FALSE(p.value.grad().defined());
}

}  // namespace
}  // namespace sweep
