// Each kernel against the same in float64, and against LibTorch's float32: an error of at most four
// times LibTorch's is allowed.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gpt/fused/adamw.h"
#include "gpt/fused/cross_entropy.h"
#include "gpt/fused/embedding.h"
#include "gpt/fused/gelu.h"
#include "gpt/fused/gemm.h"
#include "gpt/fused/norm.h"
#include "gpt/fused/row_moments.h"
#include "gpt/kernels/attention_kernel.h"
#include "gpt/kernels/instruction_set.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor random_floats(at::IntArrayRef sizes, const std::string& name, double factor = 1) {
  const at::Tensor tensor = at::empty(sizes);
  RandomStream stream(5, name);
  auto* data = tensor.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    data[i] = static_cast<float>(factor * stream.normal());
  }
  return tensor;
}

const float* read(const at::Tensor& tensor) { return tensor.const_data_ptr<float>(); }
float* write(const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); }

double error_of(const at::Tensor& found, const at::Tensor& exact) {
  return (found.to(at::kDouble) - exact).abs().max().item<double>();
}

/// `formula` is evaluated by LibTorch in float64 and in float32 on the same numbers.
void expect_accurate(const at::Tensor& ours, const std::vector<at::Tensor>& inputs,
                     const std::function<at::Tensor(const std::vector<at::Tensor>&)>& formula) {
  std::vector<at::Tensor> precise;
  for (const at::Tensor& input : inputs) precise.push_back(input.to(at::kDouble));
  const at::Tensor exact = formula(precise);
  const double rounding = 6e-8 * exact.abs().max().item<double>();
  EXPECT_LE(error_of(ours, exact), 4 * error_of(formula(inputs), exact) + rounding);
}

/// Runs `work` by every instruction set of this processor.
void for_each_instruction_set(const std::function<void(const std::string&)>& work) {
  for (const InstructionSet set : instruction_sets()) {
    use_instruction_set(set);
    work(to_string(set));
  }
  use_instruction_set(instruction_sets().front());
}

struct Product {
  std::int64_t rows, depth, columns;
};

at::Tensor multiplied(const at::Tensor& a, const at::Tensor& b, Into into = Into::kSet,
                      float start = 0) {
  const std::int64_t depth = a.size(1);
  std::vector<float> memory(static_cast<std::size_t>(panel_size(depth, b.size(1))), kNan);
  const Panels panels =
      pack_panels({read(b), b.stride(0), b.stride(1)}, depth, b.size(1), memory.data());
  const at::Tensor c = at::full({a.size(0), b.size(1)}, start);
  multiply({read(a), a.stride(0), a.stride(1)}, a.size(0), panels, {write(c), c.size(1)}, into);
  return c;
}

const std::vector<Product> kProducts = {{1, 1, 1},     {7, 5, 3},    {8, 16, 48},    {13, 70, 17},
                                        {64, 512, 96}, {9, 513, 33}, {70, 1200, 65}, {3, 40, 145}};

TEST(Gemm, IsAsAccurateAsLibTorchInEveryArrangement) {
  for_each_instruction_set([](const std::string& set) {
    for (const Product& p : kProducts) {
      SCOPED_TRACE(set + fmt::format(": {} x {} x {}", p.rows, p.depth, p.columns));
      const at::Tensor a = random_floats({p.rows, p.depth}, "a");
      const at::Tensor b = random_floats({p.depth, p.columns}, "b");
      const auto product = [](const std::vector<at::Tensor>& x) { return at::mm(x[0], x[1]); };
      expect_accurate(multiplied(a, b), {a, b}, product);
      const at::Tensor a_transposed = a.t().contiguous().t();
      const at::Tensor b_transposed = b.t().contiguous().t();
      EXPECT_TRUE(at::equal(multiplied(a_transposed, b), multiplied(a, b)));
      EXPECT_TRUE(at::equal(multiplied(a, b_transposed), multiplied(a, b)));
    }
  });
}

/// What the header promises, one element at a time.
float chain(const at::Tensor& a, const at::Tensor& b, std::int64_t i, std::int64_t j) {
  float total = 0;
  for (std::int64_t begin = 0; begin < a.size(1); begin += kChain) {
    float sum = 0;
    for (std::int64_t k = begin; k < std::min(begin + kChain, a.size(1)); ++k) {
      sum = std::fma(read(a)[i * a.size(1) + k], read(b)[k * b.size(1) + j], sum);
    }
    total = begin == 0 ? sum : total + sum;
  }
  return total;
}

TEST(Gemm, IsAChainOfFusedMultiplyAddsOnEveryInstructionSet) {
  for_each_instruction_set([](const std::string& set) {
    for (const Product& p : kProducts) {
      const at::Tensor a = random_floats({p.rows, p.depth}, "a");
      const at::Tensor b = random_floats({p.depth, p.columns}, "b");
      const at::Tensor c = multiplied(a, b);
      for (std::int64_t i = 0; i < p.rows; ++i) {
        for (std::int64_t j = 0; j < p.columns; ++j) {
          ASSERT_EQ(read(c)[i * p.columns + j], chain(a, b, i, j)) << set;
        }
      }
    }
  });
}

TEST(Gemm, AddsToWhatIsThere) {
  const at::Tensor a = random_floats({9, 600}, "a");
  const at::Tensor b = random_floats({600, 50}, "b");
  expect_accurate(multiplied(a, b, Into::kAdd, 3), {a, b},
                  [](const std::vector<at::Tensor>& x) { return at::mm(x[0], x[1]) + 3; });
}

TEST(Gemm, KeepsANanToItsRowAndItsColumn) {
  for (const float bad : {kNan, kInfinity}) {
    const at::Tensor a = at::ones({5, 4});
    const at::Tensor b = at::ones({4, 20});
    a[2][1] = bad;
    b[3][18] = bad;
    const at::Tensor finite = multiplied(a, b).isfinite();
    EXPECT_EQ(finite.sum().item<std::int64_t>(), 4 * 19);
    EXPECT_FALSE(finite[2].any().item<bool>());
    EXPECT_FALSE(finite.select(1, 18).any().item<bool>());
  }
}

TEST(Gelu, IsAsAccurateAsLibTorch) {
  const at::Tensor x = at::cat({at::linspace(-12, 12, 40'003), random_floats({1000}, "x", 1e-3)});
  const at::Tensor dy = random_floats({x.numel()}, "dy");
  for_each_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    const at::Tensor y = at::empty_like(x);
    const at::Tensor slope = x.clone();
    gelu_forward(read(slope), x.numel(), write(y), write(slope));
    expect_accurate(y, {x}, [](const auto& in) { return at::gelu(in[0]); });
    const at::Tensor dx = dy.clone();
    gelu_backward(read(slope), x.numel(), write(dx));
    expect_accurate(dx, {dy, x}, [](const auto& in) { return at::gelu_backward(in[0], in[1]); });
  });
}

TEST(Gelu, GoesOnWithNanAndInfinity) {
  for (std::int64_t count : {1, 16, 19}) {
    std::vector<float> x(static_cast<std::size_t>(count), kNan);
    std::vector<float> y(x.size());
    std::vector<float> slope(x.size());
    gelu_forward(x.data(), count, y.data(), slope.data());
    EXPECT_TRUE(std::isnan(slope.back()));
    for (const float value : y) EXPECT_TRUE(std::isnan(value));
    std::fill(x.begin(), x.end(), kInfinity);
    gelu_forward(x.data(), count, y.data(), slope.data());
    for (const float value : y) EXPECT_EQ(value, kInfinity);
  }
}

TEST(LayerNormKernel, IsAsAccurateAsLibTorch) {
  for (const std::int64_t width : {1, 8, 16, 40, 128}) {
    const std::int64_t rows = 150;
    const at::Tensor x = random_floats({rows, width}, "x") + 0.5;
    const at::Tensor gain = random_floats({width}, "gain");
    const at::Tensor bias = random_floats({width}, "bias");
    const at::Tensor dy = random_floats({rows, width}, "dy");
    const RowNorm norm{RowNorm::Kind::kLayer, 1e-5};
    const auto forward = [&](const std::vector<at::Tensor>& in) {
      return std::get<0>(at::native_layer_norm(in[0], {width}, in[1], in[2], 1e-5));
    };
    const auto backward = [&](const std::vector<at::Tensor>& in, int which) {
      const auto [y, mean, rstd] = at::native_layer_norm(in[0], {width}, in[1], in[2], 1e-5);
      const auto all = at::native_layer_norm_backward(in[3], in[0], {width}, mean, rstd, in[1],
                                                      in[2], {true, true, true});
      return which == 0 ? std::get<0>(all) : which == 1 ? std::get<1>(all) : std::get<2>(all);
    };
    for_each_instruction_set([&](const std::string& set) {
      SCOPED_TRACE(set + fmt::format(": width {}", width));
      const at::Tensor y = at::empty_like(x);
      std::vector<RowScale> scales(rows);
      norm_forward(norm, {rows, 1, width}, read(x), width, read(gain), read(bias), write(y), width,
                   scales.data());
      expect_accurate(y, {x, gain, bias}, forward);
      const at::Tensor dx = at::ones_like(x);
      const at::Tensor dgain = at::zeros_like(gain);
      const at::Tensor dbias = at::zeros_like(bias);
      std::vector<float> scratch(static_cast<std::size_t>(2 * padded(width)), kNan);
      norm_backward(norm, {rows, 1, width}, read(x), width, scales.data(), read(gain), read(dy),
                    width, {write(dx), width, true, write(dgain), write(dbias), scratch.data()});
      const std::vector<at::Tensor> in = {x, gain, bias, dy};
      expect_accurate(dx, in, [&](const auto& t) { return backward(t, 0) + 1; });
      expect_accurate(dgain, in, [&](const auto& t) { return backward(t, 1); });
      expect_accurate(dbias, in, [&](const auto& t) { return backward(t, 2); });
    });
  }
}

TEST(LayerNormKernel, KeepsANanToItsRow) {
  const at::Tensor x = random_floats({3, 20}, "x");
  x[1][7] = kNan;
  const at::Tensor y = at::empty_like(x);
  RowScale scales[3];
  norm_forward({RowNorm::Kind::kLayer, 1e-5}, {3, 1, 20}, read(x), 20, nullptr, nullptr, write(y),
               20, scales);
  EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 20);
  EXPECT_TRUE(y[1].isnan().all().item<bool>());
}

TEST(CrossEntropy, IsAsAccurateAsLibTorch) {
  for (const std::int64_t size : {1, 5, 16, 65, 400}) {
    const std::int64_t rows = 33;
    const at::Tensor logits = random_floats({rows, size}, "logits", 4);
    std::vector<std::int64_t> targets;
    for (std::int64_t i = 0; i < rows; ++i) targets.push_back(i * 7 % size);
    const at::Tensor wanted = at::from_blob(targets.data(), {rows}, at::kLong);
    for_each_instruction_set([&](const std::string& set) {
      SCOPED_TRACE(set + fmt::format(": {} logits", size));
      const at::Tensor row = logits.clone();
      const at::Tensor sum =
          at::scalar_tensor(cross_entropy({write(row), rows, size, targets.data()}), at::kDouble);
      expect_accurate(sum, {logits}, [&](const auto& in) {
        return at::cross_entropy_loss(in[0], wanted, {}, at::Reduction::Sum);
      });
      const at::Tensor gradient = logits.clone();
      const double same =
          cross_entropy_with_gradient({write(gradient), rows, size, targets.data()}, 0.25F);
      EXPECT_EQ(same, sum.item<double>());
      expect_accurate(gradient, {logits}, [&](const auto& in) {
        return (at::softmax(in[0], 1) - at::one_hot(wanted, size)) * 0.25;
      });
    });
  }
}

TEST(CrossEntropy, ShowsANanAnInfinityAndNoOverflow) {
  for (const float bad : {kNan, kInfinity}) {
    for (const std::size_t place : {0U, 3U, 17U}) {
      std::vector<float> logits(18, 1.0F);
      logits[place] = bad;
      const std::int64_t target = 2;
      EXPECT_TRUE(std::isnan(cross_entropy_with_gradient({logits.data(), 1, 18, &target}, 1)));
      EXPECT_TRUE(std::isnan(logits[place]));
    }
  }
  std::vector<float> large(18, 3e38F);
  const std::int64_t target = 2;
  EXPECT_NEAR(cross_entropy({large.data(), 1, 18, &target}), std::log(18), 1e-6);
}

TEST(Embedding, IsTheSumOfTwoRowsAndItsGradientComesBack) {
  const std::vector<std::int64_t> ids = {2, 0, 2, 1};
  const at::Tensor tokens = random_floats({3, 20}, "tokens");
  const at::Tensor positions = random_floats({2, 20}, "positions");
  const at::Tensor x = at::empty({4, 20});
  embed({ids.data(), 4, 2}, 20, read(tokens), read(positions), write(x));
  EXPECT_TRUE(at::equal(x[2], tokens[2] + positions[0]));
  EXPECT_TRUE(at::equal(x[3], tokens[1] + positions[1]));
  const at::Tensor dx = random_floats({4, 20}, "dx");
  const at::Tensor dtokens = at::zeros_like(tokens);
  const at::Tensor dpositions = at::zeros_like(positions);
  embed_backward({ids.data(), 4, 2}, 20, read(dx), write(dtokens), write(dpositions));
  EXPECT_TRUE(at::equal(dtokens[2], dx[0] + dx[2]));
  EXPECT_TRUE(at::equal(dtokens[1], dx[3]));
  EXPECT_TRUE(at::equal(dpositions[1], dx[1] + dx[3]));
}

TEST(AdamWKernel, FollowsItsFormulaInFloat64) {
  const std::int64_t count = 37;
  const at::Tensor g = random_floats({count}, "g");
  const at::Tensor p = random_floats({count}, "p");
  const at::Tensor m = random_floats({count}, "m");
  const at::Tensor v = random_floats({count}, "v").square();
  const AdamWUpdate u{0.5F, 0.9F, 0.1F, 0.95F, 0.05F, 0.01F, 2.0F, 1e-8F};
  const at::Tensor g2 = g.to(at::kDouble) * u.clip;
  const at::Tensor m2 = m.to(at::kDouble) + u.fresh1 * (g2 - m.to(at::kDouble));
  const at::Tensor v2 = v.to(at::kDouble) * u.beta2 + u.fresh2 * g2.square();
  const at::Tensor p2 = p.to(at::kDouble) * u.keep - u.rate * m2 / (v2.sqrt() * u.root + u.eps);
  for_each_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    const at::Tensor p1 = p.clone();
    const at::Tensor m1 = m.clone();
    const at::Tensor v1 = v.clone();
    EXPECT_TRUE(adamw(u, read(g), {write(p1), write(m1), write(v1)}, count));
    EXPECT_LT(error_of(p1, p2), 3e-7);
    EXPECT_LT(error_of(m1, m2), 3e-7);
    EXPECT_LT(error_of(v1, v2), 5e-7);
  });
}

TEST(AdamWKernel, NoticesASingleValueThatIsNotFinite) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (const std::size_t place : {0U, 15U, 36U}) {
      std::vector<float> g(37, 1.0F), p(37, 1.0F), m(37, 1.0F), v(37, 1.0F);
      m[place] = bad;
      const AdamWUpdate u{1, 1, 0.1F, 0.95F, 0.05F, 0.01F, 1, 1e-8F};
      EXPECT_FALSE(adamw(u, g.data(), {p.data(), m.data(), v.data()}, 37));
    }
  }
}

TEST(SquareSum, IsThatOfFloat64) {
  const at::Tensor x = random_floats({5003}, "x");
  EXPECT_NEAR(square_sum(read(x), 5003), x.to(at::kDouble).square().sum().item<double>(), 1e-3);
}

TEST(Kernels, GiveTheSameBitsOnEveryInstructionSet) {
  const at::Tensor x = random_floats({40, 50}, "x");
  std::vector<at::Tensor> results;
  for_each_instruction_set([&](const std::string&) {
    const at::Tensor y = x.clone();
    const at::Tensor dx = x.clone();
    const at::Tensor dgain = at::zeros({50});
    std::vector<float> scratch(128);
    const RowNorm norm{RowNorm::Kind::kLayer, 1e-5};
    RowScale scales[40];
    norm_forward(norm, {40, 1, 50}, read(x), 50, nullptr, nullptr, write(y), 50, scales);
    norm_backward(norm, {40, 1, 50}, read(x), 50, scales, read(x), read(x), 50,
                  {write(dx), 50, true, write(dgain), nullptr, scratch.data()});
    gelu_forward(read(dx), 2000, write(y), write(dx));
    const std::int64_t targets[40] = {};
    cross_entropy_with_gradient({write(y), 40, 50, targets}, 0.1F);
    const AdamWUpdate u{1, 0.9F, 0.1F, 0.95F, 0.05F, 0.01F, 1, 1e-8F};
    const at::Tensor v = x.square();
    adamw(u, read(dx), {write(y), write(dx.clone()), write(v)}, 2000);
    results.push_back(at::cat({y.flatten(), dx.flatten(), dgain}));
  });
  for (const at::Tensor& result : results) EXPECT_TRUE(at::equal(result, results.front()));
}

TEST(RowMoments, AreThoseOfDoublePrecision) {
  for (const std::int64_t size : {1, 7, 16, 33, 128}) {
    const at::Tensor x = random_floats({size}, "x") + 5;
    const at::Tensor wide = x.to(at::kDouble);
    const at::Tensor d = wide - wide.mean();
    const auto near = [](double ours, const at::Tensor& exact) {
      EXPECT_NEAR(ours, exact.item<double>(), 1e-12 * (1 + std::abs(exact.item<double>())));
    };
    for_each_instruction_set([&](const std::string& set) {
      SCOPED_TRACE(set);
      const RowMoments moments = row_moments(read(x), size);
      near(moments.squares, wide.pow(2).sum());
      near(moments.fourth_powers, wide.pow(4).sum());
      near(moments.about_mean.mean, wide.mean());
      near(moments.about_mean.m2, d.pow(2).sum());
      near(moments.about_mean.m3, d.pow(3).sum());
      near(moments.about_mean.m4, d.pow(4).sum());
    });
  }
}

TEST(MedianSize, IsInTheMiddleOfSizesWhateverTheirSigns) {
  const auto median = [](std::vector<float> x) { return median_size(x.data(), std::ssize(x)); };
  EXPECT_EQ(median({-3}), 3);
  EXPECT_EQ(median({-3, 1}), 2);
  EXPECT_EQ(median({5, -5, 1, 5}), 5);
  EXPECT_EQ(median({0, 0, 0, 8}), 0);
  EXPECT_EQ(median({1, kNan, -2}), 2);
  EXPECT_TRUE(std::isnan(median({kNan, kNan, 1})));
  for (const std::int64_t size : {100, 101, 4096}) {
    const at::Tensor x = random_floats({size}, "x");
    const at::Tensor sorted = std::get<0>(x.abs().to(at::kDouble).sort());
    const double exact =
        (sorted[(size - 1) / 2].item<double>() + sorted[size / 2].item<double>()) / 2;
    EXPECT_EQ(median_size(read(x), size), exact);
  }
}

TEST(Attention, MeasuringARowChangesNothingAndKnowsNoFuture) {
  // Equal keys but the last, which only the last query may see.
  const AttentionShape shape{1, 20, 2, 8};
  const std::int64_t width = shape.heads * shape.head_size;
  const at::Tensor q = at::ones({shape.length, width});
  const at::Tensor k = at::full({shape.length, width}, 0.5);
  k[shape.length - 1].fill_(-2);
  const auto heads = [&](const at::Tensor& x) {
    return Heads<const float>{read(x), 0, width, shape.head_size};
  };
  const std::int64_t rows = shape.heads * shape.length;
  for_each_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    std::vector<float> workspace(static_cast<std::size_t>(attention_workspace<float>(shape)));
    const at::Tensor plain = at::empty({shape.length, width});
    const at::Tensor watched = at::empty({shape.length, width});
    const at::Tensor log_sum = at::empty({rows});
    const at::Tensor seen = at::empty({4, rows});
    const AttentionRows<float> measured{write(seen[0]), write(seen[1]), write(seen[2]),
                                        write(seen[3])};
    const auto run = [&](const at::Tensor& out, const AttentionRows<float>* into) {
      attention_forward<float>(shape, 0.25F, {heads(q), heads(k), heads(k)},
                               {write(out), 0, width, shape.head_size}, write(log_sum),
                               {0, shape.heads}, workspace.data(), into);
    };
    run(plain, nullptr);
    run(watched, &measured);
    EXPECT_TRUE(at::equal(plain, watched));
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t i = row % shape.length;
      const bool is_last = i + 1 == shape.length;
      EXPECT_FLOAT_EQ(measured.max_logit[row], 0.25F * 8 * 0.5F) << row;
      EXPECT_FLOAT_EQ(measured.max_abs_logit[row], 0.25F * 8 * (is_last ? 2 : 0.5F)) << row;
      if (is_last) continue;
      EXPECT_NEAR(measured.entropy[row], std::log(static_cast<double>(i + 1)), 1e-6) << row;
      EXPECT_NEAR(measured.first[row], 1.0 / static_cast<double>(i + 1), 1e-6) << row;
    }
  });
}

}  // namespace
}  // namespace sweep
