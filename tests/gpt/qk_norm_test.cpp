#include "gpt/qk_norm.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpt/attention.h"
#include "gpt/tiny_gpt.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

using Shape = std::vector<std::int64_t>;
constexpr std::int64_t kBatch = 3;
constexpr std::int64_t kLength = 6;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadSize = 4;

at::Tensor random_tensor(at::IntArrayRef shape, const std::string& name, double factor = 1) {
  at::Tensor tensor = at::empty(shape, at::kDouble);
  RandomStream stream(5, name);
  double* values = tensor.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = factor * stream.normal();
  return tensor;
}

at::Tensor random_heads(const std::string& name, double factor = 1) {
  return random_tensor({kBatch, kLength, kHeads, kHeadSize}, name, factor);
}

/// What the variant has, the rest undefined.
QkNormParameters random_parameters(QkNorm variant, std::int64_t head_size = kHeadSize) {
  const auto gains = [](std::int64_t size) {
    return QkNormParameters{random_tensor({size}, "q gain"), random_tensor({size}, "k gain"), {}};
  };
  switch (variant) {
    case QkNorm::kNone:
    case QkNorm::kRmsNoaffine:
      break;
    case QkNorm::kRmsPerHead:
    case QkNorm::kLnPerHead:
      return gains(head_size);
    case QkNorm::kRmsFull:
      return gains(kHeads * head_size);
    case QkNorm::kL2Scalar:
      return {{}, {}, at::scalar_tensor(-2.5, at::kDouble)};
  }
  return {};
}

/// scale * q k^T for all pairs, (B, H, T, T).
at::Tensor attention_logits(const QueriesAndKeys& qk) {
  return at::einsum("bihd,bjhd->bhij", {qk.q, qk.k}) * qk.scale;
}

double largest(const at::Tensor& x) { return x.abs().max().item<double>(); }

/// science: |logit| <= sqrt(Dh) max|g_q| max|g_k| per head, d/sqrt(Dh) times that over the whole
/// width, |g| for the learned scale.
double logit_bound(QkNorm variant, const QkNormParameters& parameters) {
  const double gains =
      parameters.q_gain.defined() ? largest(parameters.q_gain) * largest(parameters.k_gain) : 1;
  const double root = std::sqrt(static_cast<double>(kHeadSize));
  switch (variant) {
    case QkNorm::kNone:
      break;
    case QkNorm::kRmsPerHead:
    case QkNorm::kLnPerHead:
      return root * gains;
    case QkNorm::kRmsFull:
      return static_cast<double>(kHeads * kHeadSize) / root * gains;
    case QkNorm::kRmsNoaffine:
      return root;
    case QkNorm::kL2Scalar:
      return std::abs(parameters.scale.item<double>());
  }
  return std::numeric_limits<double>::infinity();
}

class EveryVariant : public testing::TestWithParam<QkNorm> {};
INSTANTIATE_TEST_SUITE_P(QkNorm, EveryVariant, testing::ValuesIn(all_qk_norms()), name_of_qk_norm);

TEST_P(EveryVariant, KeepsAttentionLogitsWithinItsBound) {
  const QkNormParameters parameters = random_parameters(GetParam());
  for (const double factor : {1e-3, 1.0, 1e6}) {
    const at::Tensor logits = attention_logits(
        normalise(GetParam(), random_heads("q", factor), random_heads("k", factor), parameters));
    EXPECT_LE(largest(logits), logit_bound(GetParam(), parameters) * (1 + 1e-12));
  }
}

TEST_P(EveryVariant, ReachesItsBoundWhenQueryAndKeyPointTheSameWay) {
  if (GetParam() == QkNorm::kNone) return;  // it has none
  const QkNormParameters parameters = random_parameters(GetParam());
  if (parameters.q_gain.defined()) {
    parameters.q_gain.fill_(1);
    parameters.k_gain.fill_(1);
  }
  at::Tensor x = random_heads("q", 100);
  x.select(2, 1).zero_();  // one head takes the whole norm
  const QueriesAndKeys qk = normalise(GetParam(), x, x, parameters);
  EXPECT_NEAR(largest(attention_logits(qk)), logit_bound(GetParam(), parameters), 1e-4);
}

TEST_P(EveryVariant, DoesNotSeeTheLengthOfQueriesUnlessItIsNone) {
  const QkNormParameters parameters = random_parameters(GetParam());
  const auto logits = [&](double factor) {
    return attention_logits(
        normalise(GetParam(), random_heads("q", factor), random_heads("k"), parameters));
  };
  const at::Tensor small = logits(1e2);
  const at::Tensor large = logits(1e4);
  if (GetParam() == QkNorm::kNone) {
    EXPECT_LT(largest(small * 1e2 - large), 1e-9 * largest(large));
  } else {
    EXPECT_LT(largest(small - large), 1e-6 * largest(large));
  }
}

TEST_P(EveryVariant, KeepsShapes) {
  const QueriesAndKeys qk =
      normalise(GetParam(), random_heads("q"), random_heads("k"), random_parameters(GetParam()));
  EXPECT_EQ(qk.q.sizes().vec(), (Shape{kBatch, kLength, kHeads, kHeadSize}));
  EXPECT_EQ(qk.k.sizes(), qk.q.sizes());
}

struct Trio {
  at::Tensor q, k, v;
};

/// Views of one packed (B, T, 3 H, Dh) array, as the model has them.
Trio packed_heads(const at::Tensor& packed) {
  const std::vector<at::Tensor> parts = packed.split(kHeads, 2);
  return {parts[0], parts[1], parts[2]};
}

struct Pass {
  at::Tensor out;
  std::vector<at::Tensor> gradients;  // of the packed array, then of the parameters
};

/// Attention with its gradients, by the kernels or by LibTorch's operators.
Pass attend(QkNorm variant, at::ScalarType dtype, std::int64_t length, std::int64_t head_size,
            bool kernels) {
  const at::Tensor packed = random_tensor({kBatch, length, 3 * kHeads, head_size}, "packed")
                                .to(dtype)
                                .set_requires_grad(true);
  QkNormParameters parameters = random_parameters(variant, head_size);
  std::vector<at::Tensor> leaves = {packed};
  for (at::Tensor* tensor : {&parameters.q_gain, &parameters.k_gain, &parameters.scale}) {
    if (!tensor->defined()) continue;
    *tensor = tensor->to(dtype).set_requires_grad(true);
    leaves.push_back(*tensor);
  }
  const auto [q, k, v] = packed_heads(packed);
  const at::Tensor out =
      kernels ? causal_attention(normalise(variant, q, k, parameters), v, 0, nullptr, "")
              : plain_attention(plain_normalise(variant, q, k, parameters), v, 0, nullptr, "");
  const at::Tensor weights = random_tensor(out.sizes(), "weights").to(dtype);
  (out * weights).sum().backward();
  Pass pass{out.detach(), {}};
  for (const at::Tensor& leaf : leaves) pass.gradients.push_back(leaf.grad());
  return pass;
}

void expect_close(const at::Tensor& a, const at::Tensor& b, double tolerance) {
  EXPECT_LT(largest((a - b).to(at::kDouble)),
            tolerance * std::max(1.0, largest(b.to(at::kDouble))));
}

void expect_kernels_to_equal_operators(QkNorm variant, std::int64_t length,
                                       std::int64_t head_size) {
  for (const auto& [dtype, tolerance] : {std::pair{at::kDouble, 1e-11}, {at::kFloat, 2e-5}}) {
    const Pass kernel = attend(variant, dtype, length, head_size, true);
    const Pass plain = attend(variant, dtype, length, head_size, false);
    expect_close(kernel.out, plain.out, tolerance);
    for (std::size_t i = 0; i < kernel.gradients.size(); ++i) {
      expect_close(kernel.gradients[i], plain.gradients[i], tolerance);
    }
  }
}

TEST_P(EveryVariant, IsTheSameByKernelsAndByOperators) {
  // Lengths around blocks of 8, 16 and 32 rows, head sizes around whole registers.
  for (const std::int64_t length : {1, 7, 8, 17, 32, 33, 70}) {
    expect_kernels_to_equal_operators(GetParam(), length, 4);
  }
  for (const std::int64_t head_size : {1, 15, 16, 20, 32, 40}) {
    expect_kernels_to_equal_operators(GetParam(), 19, head_size);
  }
}

TEST(QkNorm, NoneIsTheIdentity) {
  const at::Tensor q = random_heads("q");
  const QueriesAndKeys qk = normalise(QkNorm::kNone, q, random_heads("k"), {});
  EXPECT_TRUE(qk.q.is_same(q));
  EXPECT_DOUBLE_EQ(qk.scale, 1 / std::sqrt(4.0));
}

/// One query's attention output by loops over plain numbers.
void attend_by_hand(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    std::int64_t length, double scale, at::Tensor& out) {
  std::vector<double> weight(static_cast<std::size_t>(length));
  double sum = 0;
  for (std::int64_t j = 0; j < length; ++j) {
    double logit = 0;
    for (std::int64_t c = 0; c < kHeadSize; ++c) {
      logit += q[c].item<double>() * k[j][c].item<double>();
    }
    sum += weight[static_cast<std::size_t>(j)] = std::exp(scale * logit);
  }
  for (std::int64_t c = 0; c < kHeadSize; ++c) {
    double mixed = 0;
    for (std::int64_t j = 0; j < length; ++j) {
      mixed += weight[static_cast<std::size_t>(j)] / sum * v[j][c].item<double>();
    }
    out[c] = mixed;
  }
}

at::Tensor causal_attention_by_hand(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                    double scale) {
  at::Tensor out = at::zeros_like(q);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      for (std::int64_t i = 0; i < kLength; ++i) {
        at::Tensor row = out[b][i][h];
        attend_by_hand(q[b][i][h], k[b].select(1, h), v[b].select(1, h), i + 1, scale, row);
      }
    }
  }
  return out;
}

TEST(Attention, IsPlainCausalAttentionWithoutQkNorm) {
  const at::Tensor q = random_heads("q");
  const at::Tensor k = random_heads("k");
  const at::Tensor v = random_heads("v");
  const at::Tensor ours =
      causal_attention(normalise(QkNorm::kNone, q, k, {}), v, 0, nullptr, "test");
  const at::Tensor expected = causal_attention_by_hand(q, k, v, 1 / std::sqrt(4.0));
  EXPECT_LT(largest(ours - expected), 1e-12);
}

// With so small a rate no entry is dropped, and the path that draws masks must agree.
TEST(Attention, IsTheSameOnThePathThatDrawsDropoutMasks) {
  const QueriesAndKeys qk = normalise(QkNorm::kNone, random_heads("q"), random_heads("k"), {});
  const at::Tensor v = random_heads("v");
  const DropoutDraw draw{1, 1};
  const at::Tensor fused = causal_attention(qk, v, 0, nullptr, "test");
  const at::Tensor drawn = causal_attention(qk, v, 1e-15, &draw, "test");
  EXPECT_LT(largest(fused - drawn), 1e-12);
}

TEST(Dropout, ZeroesItsShareAndScalesTheRest) {
  const at::Tensor ones = at::ones({200, 300});
  const DropoutDraw draw{1, 1};
  const at::Tensor kept = dropout(ones, 0.25, &draw, "test");
  EXPECT_NEAR(kept.eq(0).to(at::kDouble).mean().item<double>(), 0.25, 0.01);
  EXPECT_FLOAT_EQ(kept.max().item<float>(), 1 / 0.75F);
  EXPECT_NEAR(kept.mean().item<double>(), 1, 0.01);
}

TEST(Dropout, DependsOnSeedStepAndPlaceOnly) {
  const at::Tensor ones = at::ones({20, 30});
  const auto mask = [&](std::uint64_t seed, std::uint64_t step, const std::string& where) {
    const DropoutDraw draw{seed, step};
    return dropout(ones, 0.5, &draw, where);
  };
  EXPECT_TRUE(mask(1, 1, "a").equal(mask(1, 1, "a")));
  EXPECT_FALSE(mask(1, 1, "a").equal(mask(2, 1, "a")));
  EXPECT_FALSE(mask(1, 1, "a").equal(mask(1, 2, "a")));
  EXPECT_FALSE(mask(1, 1, "a").equal(mask(1, 1, "b")));
}

TEST(Dropout, IsOffWithoutADrawOrARate) {
  const at::Tensor x = at::ones({2, 3});
  const DropoutDraw draw{1, 1};
  EXPECT_TRUE(dropout(x, 0.5, nullptr, "test").is_same(x));
  EXPECT_TRUE(dropout(x, 0, &draw, "test").is_same(x));
}

}  // namespace
}  // namespace sweep
