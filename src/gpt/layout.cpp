#include "gpt/layout.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "sweep/base/random.h"

namespace sweep {
namespace {

constexpr double kNanogptStd = 0.02;

using Shape = std::vector<std::int64_t>;

/// Collects the tensors of one model.
class Planner {
 public:
  explicit Planner(const ModelConfig& config) : config_(config), d_(config.n_embd) {}

  std::vector<TensorPlan> plan() {
    embedding("transformer.wte.weight", config_.vocab_size);
    embedding("transformer.wpe.weight", config_.block_size);
    for (std::int64_t layer = 0; layer < config_.n_layer; ++layer) {
      block("transformer.h." + std::to_string(layer));
    }
    norm("transformer.ln_f");
    if (!config_.tie_weights) matrix("lm_head.weight", config_.vocab_size, d_);
    return std::move(tensors_);
  }

 private:
  void block(const std::string& name) {
    norm(name + ".ln_1");
    linear(name + ".attn.c_attn", 3 * d_, d_);
    residual(name + ".attn.c_proj", d_, d_);
    qk_norm(name + ".attn");
    norm(name + ".ln_2");
    linear(name + ".mlp.c_fc", 4 * d_, d_);
    residual(name + ".mlp.c_proj", d_, 4 * d_);
  }

  void qk_norm(const std::string& name) {
    switch (config_.qk_norm) {
      case QkNorm::kNone:
      case QkNorm::kRmsNoaffine:
        break;
      case QkNorm::kRmsPerHead:
      case QkNorm::kLnPerHead:
        gains(name, d_ / config_.n_head);
        break;
      case QkNorm::kRmsFull:
        gains(name, d_);
        break;
      case QkNorm::kL2Scalar:
        add(name + ".qk_scale", {}, l2_start(), 0);
    }
  }

  void gains(const std::string& name, std::int64_t size) {
    add(name + ".q_norm.weight", {size}, 1, 0);
    add(name + ".k_norm.weight", {size}, 1, 0);
  }

  // Henry et al. 2020: log2(L^2 - L) for sequences of length L.
  double l2_start() const {
    const auto length = static_cast<double>(config_.block_size);
    return std::log2(length * length - length);
  }

  void embedding(const std::string& name, std::int64_t rows) {
    add(name, {rows, d_}, 0, fan_in() ? 1 / std::sqrt(static_cast<double>(d_)) : kNanogptStd);
  }

  void matrix(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name, {out, in}, 0, fan_in() ? 1 / std::sqrt(static_cast<double>(in)) : kNanogptStd);
  }

  void linear(const std::string& name, std::int64_t out, std::int64_t in) {
    matrix(name + ".weight", out, in);
    if (config_.bias) add(name + ".bias", {out}, 0, 0);
  }

  // What is added to the residual stream starts smaller in nanoGPT, the more layers add to it.
  void residual(const std::string& name, std::int64_t out, std::int64_t in) {
    linear(name, out, in);
    if (fan_in()) return;
    TensorPlan& weight = tensors_[tensors_.size() - (config_.bias ? 2 : 1)];
    weight.std = kNanogptStd / std::sqrt(2 * static_cast<double>(config_.n_layer));
  }

  void norm(const std::string& name) {
    add(name + ".weight", {d_}, 1, 0);
    if (config_.bias) add(name + ".bias", {d_}, 0, 0);
  }

  void add(const std::string& name, Shape shape, double mean, double std) {
    tensors_.push_back({name, std::move(shape), mean, std});
  }

  bool fan_in() const { return config_.init == Init::kFanIn; }

  const ModelConfig& config_;
  std::int64_t d_;
  std::vector<TensorPlan> tensors_;
};

}  // namespace

std::int64_t TensorPlan::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<TensorPlan> plan_tensors(const ModelConfig& config) { return Planner(config).plan(); }

std::vector<double> initial_values(const TensorPlan& plan, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(plan.size()), plan.mean);
  if (plan.std == 0) return values;
  RandomStream stream(seed, "init/" + plan.name);
  for (double& value : values) value += plan.std * stream.normal();
  return values;
}

}  // namespace sweep
