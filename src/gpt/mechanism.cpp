#include "gpt/mechanism.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sweep {
namespace {

constexpr const char* kMaxLogit = "max_attention_logit";
constexpr const char* kEntropy = "attention_entropy";
constexpr const char* kKurtosis = "kurtosis_rms_token";
constexpr const char* kRms = "qk_rms";

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Below it a token's mean square is taken as this: an all-zero token has no shape.
constexpr double kSmallestMeanSquare = 1e-8;

std::string in_layer(const std::string& name, std::size_t layer) {
  return fmt::format("{}/L{}", name, layer);
}

/// Entropy of each row of softmax(z), summed over batch and rows: (H). With H = lse - sum A z no
/// logarithm of a vanishing probability is taken.
at::Tensor entropy_by_head(const at::Tensor& z, const at::Tensor& future) {
  const at::Tensor lse = at::logsumexp(z, -1, /*keepdim=*/true);  // (B, H, T, 1)
  const at::Tensor finite = z.masked_fill(future, 0);
  const at::Tensor mean = (at::exp(z - lse) * finite).sum(-1);  // (B, H, T)
  return (lse.squeeze(-1) - mean).sum(at::IntArrayRef{0, 2}, false, at::kDouble);
}

double square_sum(const at::Tensor& x) { return x.square().sum(at::kDouble).item<double>(); }

/// The largest, or NaN when one of them is: std::max_element would pass over it.
double largest(const std::vector<double>& values) {
  double result = -kInfinity;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    result = std::max(result, value);
  }
  return result;
}

double smallest(std::vector<double> values) {
  for (double& value : values) value = -value;
  return -largest(values);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The value over all layers under `name`, then each layer's.
NamedValues with_layers(const std::string& name, double overall,
                        const std::vector<double>& by_layer) {
  NamedValues values{{name, overall}};
  for (std::size_t i = 0; i < by_layer.size(); ++i) {
    values.emplace_back(in_layer(name, i), by_layer[i]);
  }
  return values;
}

}  // namespace

MechanismProbe::MechanismProbe(std::vector<std::string> quantities, std::int64_t layers)
    : quantities_(std::move(quantities)), layers_(static_cast<std::size_t>(layers)) {}

bool MechanismProbe::wants(const std::string& quantity) const {
  return std::find(quantities_.begin(), quantities_.end(), quantity) != quantities_.end();
}

void MechanismProbe::see_block_input(std::int64_t layer, const at::Tensor& x) {
  if (!wants(kKurtosis)) return;
  Layer& sums = layers_.at(static_cast<std::size_t>(layer));
  const at::Tensor squares = x.square();  // (B, T, d)
  const at::Tensor second = squares.mean(-1).clamp_min(kSmallestMeanSquare);
  const at::Tensor fourth = squares.square().mean(-1);  // (B, T)
  sums.kurtosis += (fourth / second.square()).sum(at::kDouble).item<double>();
  sums.tokens += static_cast<double>(second.numel());
}

void MechanismProbe::see_queries_and_keys(std::int64_t layer, const at::Tensor& q,
                                          const at::Tensor& k, const QueriesAndKeys& normalised) {
  Layer& sums = layers_.at(static_cast<std::size_t>(layer));
  if (wants(kRms)) {
    sums.q_squares += square_sum(q);
    sums.k_squares += square_sum(k);
    sums.entries += static_cast<double>(q.numel());
  }
  if (wants(kMaxLogit) || wants(kEntropy)) add_logits(sums, normalised);
}

void MechanismProbe::add_logits(Layer& layer, const QueriesAndKeys& qk) const {
  const at::Tensor q = qk.q.transpose(1, 2);  // (B, H, T, Dh)
  const at::Tensor k = qk.k.transpose(1, 2);
  const std::int64_t length = q.size(2);
  const at::Tensor future =
      at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);  // (T, T)
  const at::Tensor z = (at::matmul(q, k.transpose(-2, -1)) * qk.scale)
                           .masked_fill(future, -kInfinity);  // (B, H, T, T)
  const double largest = z.max().item<double>();
  const double counted = std::isfinite(largest) ? largest : kInfinity;
  layer.max_logit = layer.has_logits ? std::max(layer.max_logit, counted) : counted;
  layer.has_logits = true;
  if (!wants(kEntropy)) return;
  const at::Tensor entropy = entropy_by_head(z, future).to(at::kCPU);
  layer.entropy.resize(static_cast<std::size_t>(entropy.numel()));
  for (std::size_t head = 0; head < layer.entropy.size(); ++head) {
    layer.entropy[head] += entropy[static_cast<std::int64_t>(head)].item<double>();
  }
  layer.queries += static_cast<double>(q.size(0) * length);
}

NamedValues MechanismProbe::values() const {
  NamedValues all;
  for (const std::string& quantity : quantities_) {
    const NamedValues some = quantity == kMaxLogit   ? logit_values()
                             : quantity == kEntropy  ? entropy_values()
                             : quantity == kKurtosis ? kurtosis_values()
                                                     : rms_values();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

NamedValues MechanismProbe::logit_values() const {
  std::vector<double> by_layer;
  for (const Layer& layer : layers_) by_layer.push_back(layer.max_logit);
  return with_layers(kMaxLogit, largest(by_layer), by_layer);
}

NamedValues MechanismProbe::entropy_values() const {
  std::vector<double> by_layer;
  std::vector<double> by_head;
  for (const Layer& layer : layers_) {
    std::vector<double> heads = layer.entropy;
    for (double& head : heads) head /= layer.queries;
    by_layer.push_back(mean(heads));
    by_head.insert(by_head.end(), heads.begin(), heads.end());
  }
  NamedValues values = with_layers(kEntropy, mean(by_layer), by_layer);
  values.emplace_back(std::string(kEntropy) + "/min", smallest(by_head));
  return values;
}

NamedValues MechanismProbe::kurtosis_values() const {
  std::vector<double> by_layer;
  for (const Layer& layer : layers_) by_layer.push_back(layer.kurtosis / layer.tokens);
  NamedValues values = with_layers(kKurtosis, mean(by_layer), by_layer);
  values.emplace_back(std::string(kKurtosis) + "/max", largest(by_layer));
  return values;
}

NamedValues MechanismProbe::rms_values() const {
  double squares = 0;
  double entries = 0;
  NamedValues by_layer;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    squares += layer.q_squares + layer.k_squares;
    entries += 2 * layer.entries;
    by_layer.emplace_back(in_layer(std::string(kRms) + "/q", i),
                          std::sqrt(layer.q_squares / layer.entries));
    by_layer.emplace_back(in_layer(std::string(kRms) + "/k", i),
                          std::sqrt(layer.k_squares / layer.entries));
  }
  NamedValues values{{kRms, std::sqrt(squares / entries)}};
  values.insert(values.end(), by_layer.begin(), by_layer.end());
  return values;
}

NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks) {
  const c10::NoGradGuard no_grad;
  MechanismProbe probe(quantities, model.config().n_layer);
  for_each_chunk(set, model.config().block_size, device,
                 [&](const at::Tensor& ids, const at::Tensor&) {
                   static_cast<void>(model.logits(ids, nullptr, &probe));
                   between_chunks();
                 });
  return probe.values();
}

}  // namespace sweep
