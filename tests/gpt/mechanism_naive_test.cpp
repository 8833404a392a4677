#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "gpt/mechanism.h"
#include "gpt/synthetic_tokens.h"
#include "gpt/tiny_gpt.h"

namespace sweep {
namespace {

// The formulas of docs/definitions.md once more, one entry at a time.

/// Keeps what a forward pass computed.
class Recorder : public ForwardObserver {
 public:
  struct Layer {
    at::Tensor input, attention_out, mlp_out, q, k, normal_q, normal_k;
    double scale = 1;
  };

  explicit Recorder(std::int64_t count) : layers(static_cast<std::size_t>(count)) {}

  void see_block_input(std::int64_t layer, const at::Tensor& x) override { at(layer).input = x; }
  void see_queries_and_keys(std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                            const QueriesAndKeys& normalised) override {
    Layer& here = at(layer);
    here.q = q.contiguous();
    here.k = k.contiguous();
    here.normal_q = normalised.q.contiguous();
    here.normal_k = normalised.k.contiguous();
    here.scale = normalised.scale;
  }
  void see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) override {
    (branch == Branch::kAttention ? at(layer).attention_out : at(layer).mlp_out) = x;
  }
  void see_last_residual(const at::Tensor& x) override { last = x; }

  Layer& at(std::int64_t layer) { return layers.at(static_cast<std::size_t>(layer)); }

  std::vector<Layer> layers;
  at::Tensor last;
};

using Row = std::vector<double>;

std::vector<double> entries(const at::Tensor& x) {
  const at::Tensor flat = x.detach().to(at::kDouble).contiguous().flatten();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

double mean(const Row& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double largest(const Row& values) { return *std::max_element(values.begin(), values.end()); }
double smallest(const Row& values) { return *std::min_element(values.begin(), values.end()); }

/// Logits z_i1 ... z_ii of one query, i from 1.
Row past_logits(const Recorder::Layer& layer, std::int64_t window, std::int64_t query,
                std::int64_t head) {
  const Row q = entries(layer.normal_q[window][query][head]);
  Row z;
  for (std::int64_t j = 0; j <= query; ++j) {
    const Row k = entries(layer.normal_k[window][j][head]);
    double product = 0;
    for (std::size_t i = 0; i < q.size(); ++i) product += q[i] * k[i];
    z.push_back(product * layer.scale);
  }
  return z;
}

Row softmax(const Row& z) {
  Row a;
  double total = 0;
  for (const double value : z) total += std::exp(value);
  for (const double value : z) a.push_back(std::exp(value) / total);
  return a;
}

double entropy(const Row& a) {
  double sum = 0;
  for (const double p : a) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

/// What one head does over all windows.
struct Head {
  double max_logit = -1e300, max_abs_logit = 0, entropy = 0, share_of_most = 0, sink = 0;
};

Head head_of(const Recorder::Layer& layer, std::int64_t head) {
  Head result;
  const std::int64_t windows = layer.q.size(0);
  const std::int64_t length = layer.q.size(1);
  Row entropies, shares, sinks;
  for (std::int64_t window = 0; window < windows; ++window) {
    double on_first = 0;
    for (std::int64_t query = 0; query < length; ++query) {
      const Row z = past_logits(layer, window, query, head);
      for (const double value : z) {
        result.max_logit = std::max(result.max_logit, value);
        result.max_abs_logit = std::max(result.max_abs_logit, std::abs(value));
      }
      const Row a = softmax(z);
      on_first += a[0] / static_cast<double>(length);
      entropies.push_back(entropy(a));
      if (query > 0) shares.push_back(entropy(a) / std::log(query + 1));
    }
    sinks.push_back(on_first > 0.3 ? 1 : 0);
  }
  result.entropy = mean(entropies);
  result.share_of_most = mean(shares);
  result.sink = mean(sinks);
  return result;
}

double token_kurtosis(const at::Tensor& x) {
  Row tokens;
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    for (std::int64_t t = 0; t < x.size(1); ++t) {
      double second = 0;
      double fourth = 0;
      const Row features = entries(x[b][t]);
      for (const double f : features) {
        second += f * f / static_cast<double>(features.size());
        fourth += f * f * f * f / static_cast<double>(features.size());
      }
      tokens.push_back(fourth / (second * second));
    }
  }
  return mean(tokens);
}

double excess_kurtosis(const at::Tensor& x) {
  const Row all = entries(x);
  const double middle = mean(all);
  Row second, fourth;
  for (const double value : all) {
    second.push_back(std::pow(value - middle, 2));
    fourth.push_back(std::pow(value - middle, 4));
  }
  return mean(fourth) / (mean(second) * mean(second)) - 3;
}

double rms(const at::Tensor& x) {
  Row squares;
  for (const double value : entries(x)) squares.push_back(value * value);
  return std::sqrt(mean(squares));
}

double massive(const at::Tensor& x) {
  Row ratios;
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    Row sizes = entries(x[b].abs());
    std::sort(sizes.begin(), sizes.end());
    const double median = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
    ratios.push_back(std::log(sizes.back() / median));
  }
  return largest(ratios);
}

double log_z(const at::Tensor& logits) {
  Row all;
  for (std::int64_t b = 0; b < logits.size(0); ++b) {
    for (std::int64_t t = 0; t < logits.size(1); ++t) {
      double z = 0;
      for (const double value : entries(logits[b][t])) z += std::exp(value);
      all.push_back(std::log(z));
    }
  }
  return mean(all);
}

using Named = std::map<std::string, double>;

void add_heads(Named& values, const Recorder& seen) {
  std::map<std::string, Row> all;
  for (std::size_t l = 0; l < seen.layers.size(); ++l) {
    for (std::int64_t h = 0; h < seen.layers[l].q.size(2); ++h) {
      const Head head = head_of(seen.layers[l], h);
      const std::string where = "/L" + std::to_string(l) + "/H" + std::to_string(h);
      for (const auto& [name, value] :
           {std::pair<std::string, double>("max_attention_logit", head.max_logit),
            {"max_abs_attention_logit", head.max_abs_logit},
            {"attention_entropy", head.entropy},
            {"attention_entropy_normalised", head.share_of_most},
            {"attention_sink", head.sink}}) {
        values[name + where] = value;
        all[name].push_back(value);
      }
    }
  }
  values["max_attention_logit"] = largest(all["max_attention_logit"]);
  values["max_abs_attention_logit"] = largest(all["max_abs_attention_logit"]);
  values["attention_entropy"] = mean(all["attention_entropy"]);
  values["attention_entropy/min"] = smallest(all["attention_entropy"]);
  values["attention_entropy_normalised"] = mean(all["attention_entropy_normalised"]);
  values["attention_entropy_normalised/min"] = smallest(all["attention_entropy_normalised"]);
  values["attention_sink"] = mean(all["attention_sink"]);
}

void add_activations(Named& values, const Recorder& seen) {
  Row token, excess, residual, ratios;
  for (std::size_t l = 0; l < seen.layers.size(); ++l) {
    const Recorder::Layer& layer = seen.layers[l];
    const std::string where = "/L" + std::to_string(l);
    token.push_back(values["kurtosis_rms_token" + where] = token_kurtosis(layer.input));
    excess.push_back(values["kurtosis_excess_tensor" + where] = excess_kurtosis(layer.input));
    values["kurtosis_rms_token/mlp_out" + where] = token_kurtosis(layer.mlp_out);
    values["kurtosis_excess_tensor/attention_out" + where] = excess_kurtosis(layer.attention_out);
    residual.push_back(values["residual_rms" + where] = rms(layer.input));
    ratios.push_back(values["massive_activation" + where] = massive(layer.input));
    values["qk_rms/q" + where] = rms(layer.q);
    values["qk_rms/k" + where] = rms(layer.k);
  }
  residual.push_back(values["residual_rms/out"] = rms(seen.last));
  ratios.push_back(values["massive_activation/out"] = massive(seen.last));
  values["kurtosis_rms_token/out"] = token_kurtosis(seen.last);
  values["kurtosis_excess_tensor/out"] = excess_kurtosis(seen.last);
  values["kurtosis_rms_token"] = mean(token);
  values["kurtosis_rms_token/max"] = largest(token);
  values["kurtosis_excess_tensor"] = mean(excess);
  values["kurtosis_excess_tensor/max"] = largest(excess);
  values["residual_rms"] = largest(residual);
  values["massive_activation"] = largest(ratios);
}

class MechanismByHand : public testing::TestWithParam<QkNorm> {};

TEST_P(MechanismByHand, AgreesWithTheFormulasOneEntryAtATime) {
  const std::vector<Token> tokens = synthetic_tokens(7, 60);
  ModelConfig config = tiny_config(GetParam());
  config.init = Init::kFanIn;  // logits and activations of some size
  const Gpt model(config, at::kDouble, at::kCPU, 3);
  const FixedSet set{tokens, 0, 4};
  const FixedSet whole{tokens, 0, 100};
  Recorder seen(config.n_layer);
  Named expected;
  for_each_chunk(whole, config.block_size, at::kCPU, [&](const at::Tensor& ids, const at::Tensor&) {
    expected["log_z"] = log_z(model.logits(ids, nullptr, &seen));
  });
  add_heads(expected, seen);
  add_activations(expected, seen);
  const auto all = find_field("measure.mechanism")->choices;
  const NamedValues values = measure_mechanism(model, set, all, at::kCPU, [] {});
  const Named measured(values.begin(), values.end());
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(measured.contains(name)) << name;
    EXPECT_NEAR(measured.at(name), value, 1e-10 * std::max(1.0, std::abs(value))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(QkNorms, MechanismByHand, testing::ValuesIn(all_qk_norms()),
                         name_of_qk_norm);

TEST(MechanismProbe, SaysTheSameInWhateverOrderWindowsAreShown) {
  const std::vector<Token> tokens = synthetic_tokens(7, 60);
  const Gpt model(tiny_config(QkNorm::kRmsPerHead), at::kDouble, at::kCPU, 1);
  const auto all = find_field("measure.mechanism")->choices;
  const auto measured = [&](bool reversed) {
    const c10::NoGradGuard no_gradients;
    MechanismProbe probe(all, 2);
    for_each_chunk({tokens, 0, 100}, 5, at::kCPU, [&](const at::Tensor& ids, const at::Tensor&) {
      probe.see_output(model.logits(reversed ? ids.flip(0) : ids, nullptr, &probe));
    });
    return probe.values();
  };
  const NamedValues forwards = measured(false);
  const NamedValues backwards = measured(true);
  ASSERT_EQ(forwards.size(), backwards.size());
  ASSERT_GT(forwards.size(), all.size());
  for (std::size_t i = 0; i < forwards.size(); ++i) {
    EXPECT_EQ(forwards[i].first, backwards[i].first);
    EXPECT_NEAR(forwards[i].second, backwards[i].second, 1e-10) << forwards[i].first;
  }
}

}  // namespace
}  // namespace sweep
