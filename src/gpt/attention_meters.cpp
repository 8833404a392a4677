#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpt/meter_values.h"

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of Sink_1 (Gu et al. 2024): a head whose mean attention to the first token is above it.
constexpr double kSink = 0.3;

enum class Sign { kKept, kDropped };

template <Sign kSign>
class LogitMeter : public NamedMeter {
 public:
  LogitMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), by_head_(layers) {}

  void see_attention(std::size_t layer, const CausalLogits& attention) override {
    const at::Tensor sized = kSign == Sign::kKept
                                 ? attention.z.masked_fill(attention.future, -kInfinity)
                                 : attention.z.abs();
    const Numbers seen = finite_or_infinite(numbers_of(sized.amax({0, 2, 3})));
    Numbers& heads = by_head_.at(layer);
    heads.resize(seen.size(), -kInfinity);
    for (std::size_t i = 0; i < seen.size(); ++i) heads[i] = std::max(heads[i], seen[i]);
  }

  [[nodiscard]] bool needs_attention() const override { return true; }

  [[nodiscard]] NamedValues values() const override {
    Numbers by_layer;
    for (const Numbers& heads : by_head_) by_layer.push_back(largest(heads));
    return with_heads(name(), largest(by_layer), by_layer, by_head_);
  }

 private:
  std::vector<Numbers> by_head_;
};

enum class Share { kNats, kOfTheMost };

/// Query i, from 1, can reach at most ln i; the first has nothing to choose and no share.
template <Share kShare>
class EntropyMeter : public NamedMeter {
 public:
  EntropyMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), by_query_(layers) {}

  void see_attention(std::size_t layer, const CausalLogits& attention) override {
    const at::Tensor& entropy = attention.softmax().entropy;
    const at::Tensor sum = entropy.sum({0}, false, at::kDouble);  // (H, T)
    at::Tensor& total = by_query_.at(layer);
    total = total.defined() ? total + sum : sum;
    if (layer == 0) windows_ += entropy.size(0);
  }

  [[nodiscard]] bool needs_attention() const override { return true; }

  [[nodiscard]] NamedValues values() const override {
    Numbers by_layer;
    std::vector<Numbers> by_head;
    for (const at::Tensor& sum : by_query_) {
      by_head.push_back(numbers_of(mean_over_queries(sum / windows_)));
      by_layer.push_back(mean_of(by_head.back()));
    }
    NamedValues values = with_heads(name(), mean_of(by_layer), by_layer, by_head);
    values.emplace_back(name() + "/min", smallest(flattened(by_head)));
    return values;
  }

 private:
  static at::Tensor mean_over_queries(const at::Tensor& entropy) {  // (H, T)
    if (kShare == Share::kNats) return entropy.mean(-1);
    const std::int64_t others = entropy.size(1) - 1;
    const at::Tensor most = at::arange(2, others + 2, entropy.options()).log();
    return (entropy.narrow(1, 1, others) / most).mean(-1);
  }

  std::vector<at::Tensor> by_query_;  // summed over windows
  std::int64_t windows_ = 0;
};

class SinkMeter : public NamedMeter {
 public:
  SinkMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), sinks_(layers) {}

  void see_attention(std::size_t layer, const CausalLogits& attention) override {
    const at::Tensor first = attention.softmax().probabilities.select(-1, 0).mean(-1);  // (B, H)
    const Numbers seen = numbers_of(first.gt(kSink).sum(0));
    Numbers& heads = sinks_.at(layer);
    heads.resize(seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) heads[i] += seen[i];
    if (layer == 0) windows_ += static_cast<double>(first.size(0));
  }

  [[nodiscard]] bool needs_attention() const override { return true; }

  [[nodiscard]] NamedValues values() const override {
    Numbers by_layer;
    std::vector<Numbers> by_head = sinks_;
    for (Numbers& heads : by_head) {
      for (double& share : heads) share /= windows_;
      by_layer.push_back(mean_of(heads));
    }
    return with_heads(name(), mean_of(by_layer), by_layer, by_head);
  }

 private:
  std::vector<Numbers> sinks_;
  double windows_ = 0;
};

class QkRmsMeter : public NamedMeter {
 public:
  QkRmsMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), q_(layers), k_(layers), entries_(layers) {}

  void see_queries_and_keys(std::size_t layer, const at::Tensor& q, const at::Tensor& k) override {
    q_.at(layer) += square_sum(q);
    k_.at(layer) += square_sum(k);
    entries_.at(layer) += static_cast<double>(q.numel());
  }

  [[nodiscard]] NamedValues values() const override {
    double squares = 0;
    double entries = 0;
    NamedValues by_layer;
    for (std::size_t i = 0; i < layers(); ++i) {
      squares += q_[i] + k_[i];
      entries += 2 * entries_[i];
      by_layer.emplace_back(in_layer(name() + "/q", i), std::sqrt(q_[i] / entries_[i]));
      by_layer.emplace_back(in_layer(name() + "/k", i), std::sqrt(k_[i] / entries_[i]));
    }
    NamedValues values{{name(), std::sqrt(squares / entries)}};
    values.insert(values.end(), by_layer.begin(), by_layer.end());
    return values;
  }

 private:
  Numbers q_, k_, entries_;
};

class GainMeter : public NamedMeter {
 public:
  using NamedMeter::NamedMeter;

  void see_parameters(const std::vector<Parameter>& parameters) override {
    for (const Parameter& parameter : parameters) {
      for (const auto& [ending, part] :
           {std::pair(".q_norm.weight", "q"), std::pair(".k_norm.weight", "k"),
            std::pair(".qk_scale", "scale")}) {
        if (!parameter.name.ends_with(ending)) continue;
        const double gain = number_of(parameter.value.abs().max());
        values_.emplace_back(fmt::format("{}/{}/L{}", name(), part, *layer_of(parameter.name)),
                             gain);
      }
    }
  }

  [[nodiscard]] NamedValues values() const override {
    if (values_.empty()) return {};
    Numbers gains;
    for (const auto& [name, gain] : values_) gains.push_back(gain);
    NamedValues values{{name(), largest(gains)}};
    values.insert(values.end(), values_.begin(), values_.end());
    return values;
  }

 private:
  NamedValues values_;
};

template <typename Kind>
std::unique_ptr<Meter> make(const std::string& name, std::size_t layers) {
  return std::make_unique<Kind>(name, layers);
}

}  // namespace

CausalLogits::CausalLogits(const QueriesAndKeys& qk) {
  const at::Tensor q = qk.q.transpose(1, 2);  // (B, H, T, Dh)
  const at::Tensor k = qk.k.transpose(1, 2);
  const std::int64_t length = q.size(2);
  future = at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);
  z = (at::matmul(q, k.transpose(-2, -1)) * qk.scale).masked_fill(future, 0);
}

const CausalLogits::Softmax& CausalLogits::softmax() const {
  if (softmax_.entropy.defined()) return softmax_;
  // H = ln sum e^(z - max) - sum A (z - max): no logarithm of a vanished probability, and no
  // difference of large numbers.
  const at::Tensor most = z.masked_fill(future, -kInfinity).amax(-1, /*keepdim=*/true);
  const at::Tensor below = (z - most).masked_fill(future, 0);
  const at::Tensor weights = below.exp().masked_fill(future, 0);
  const at::Tensor total = weights.sum(-1, /*keepdim=*/true);
  softmax_.probabilities = weights / total;
  softmax_.entropy = total.squeeze(-1).log() - (softmax_.probabilities * below).sum(-1);
  return softmax_;
}

const std::map<std::string, MakeMeter>& attention_meters() {
  static const std::map<std::string, MakeMeter> all = {
      {"max_attention_logit", make<LogitMeter<Sign::kKept>>},
      {"max_abs_attention_logit", make<LogitMeter<Sign::kDropped>>},
      {"attention_entropy", make<EntropyMeter<Share::kNats>>},
      {"attention_entropy_normalised", make<EntropyMeter<Share::kOfTheMost>>},
      {"attention_sink", make<SinkMeter>},
      {"qk_rms", make<QkRmsMeter>},
      {"qk_gain", make<GainMeter>}};
  return all;
}

}  // namespace sweep
