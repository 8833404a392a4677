#include "gpt/model.h"

#include <fmt/ranges.h>

#include "gpt/attention.h"
#include "gpt/layout.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

constexpr double kLayerNormEps = 1e-5;

at::Tensor make_tensor(const TensorPlan& plan, at::ScalarType dtype, at::Device device,
                       std::uint64_t seed) {
  std::vector<double> values = initial_values(plan, seed);
  const at::Tensor exact = at::from_blob(values.data(), plan.shape, at::kDouble);
  // The type first: not every device has float64.
  return exact.to(dtype, /*non_blocking=*/false, /*copy=*/true).to(device).set_requires_grad(true);
}

void check(const ModelConfig& config) {
  std::vector<std::string> problems = model_problems(config);
  if (config.vocab_size < 1) problems.push_back("model.vocab_size must be known by now");
  if (!problems.empty()) fail(ExitCode::kBadInput, "{}", fmt::join(problems, "; "));
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

}  // namespace

Gpt::Gpt(const ModelConfig& config, at::ScalarType dtype, at::Device device, std::uint64_t seed)
    : config_(config) {
  check(config);
  for (const TensorPlan& plan : plan_tensors(config)) {
    parameters_.push_back({plan.name, make_tensor(plan, dtype, device, seed), plan.decayed()});
  }
  for (std::int64_t layer = 0; layer < config.n_layer; ++layer) blocks_.push_back(block(layer));
  wte_ = find("transformer.wte.weight");
  wpe_ = find("transformer.wpe.weight");
  ln_f_ = affine("transformer.ln_f");
  head_ = config.tie_weights ? wte_ : find("lm_head.weight");
}

at::Tensor Gpt::find(const std::string& name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

Gpt::Affine Gpt::affine(const std::string& name) const {
  return {find(name + ".weight"), find(name + ".bias")};
}

Gpt::Block Gpt::block(std::int64_t layer) const {
  const std::string name = "h." + std::to_string(layer);
  const std::string full = "transformer." + name;
  const std::string attn = full + ".attn";
  return {layer,
          name,
          affine(full + ".ln_1"),
          affine(attn + ".c_attn"),
          affine(attn + ".c_proj"),
          affine(full + ".ln_2"),
          affine(full + ".mlp.c_fc"),
          affine(full + ".mlp.c_proj"),
          {find(attn + ".q_norm.weight"), find(attn + ".k_norm.weight"), find(attn + ".qk_scale")}};
}

at::Tensor Gpt::norm(const at::Tensor& x, const Affine& ln) const {
  return at::layer_norm(x, {config_.n_embd}, ln.weight, ln.bias, kLayerNormEps);
}

at::Tensor Gpt::embed(const at::Tensor& ids, const DropoutDraw* draw) const {
  const at::Tensor positions = wpe_.narrow(0, 0, ids.size(1));  // (T, d)
  const at::Tensor x = at::embedding(wte_, ids) + positions;    // (B, T, d)
  return dropout(x, config_.dropout, draw, "drop");
}

at::Tensor Gpt::attend(const at::Tensor& x, const Block& block, const DropoutDraw* draw,
                       ForwardObserver* observer) const {
  const std::int64_t head_size = config_.n_embd / config_.n_head;
  const std::vector<at::Tensor> qkv =
      linear(x, block.c_attn.weight, block.c_attn.bias)
          .view({x.size(0), x.size(1), 3 * config_.n_head, head_size})
          .split(config_.n_head, 2);  // each (B, T, H, Dh)
  const QueriesAndKeys qk = normalise(config_.qk_norm, qkv[0], qkv[1], block.qk_norm);
  if (observer != nullptr) observer->see_queries_and_keys(block.layer, qkv[0], qkv[1], qk);
  const at::Tensor mixed =
      causal_attention(qk, qkv[2], config_.dropout, draw, block.name + ".attn.attn_dropout");
  const at::Tensor out =
      linear(mixed.reshape(x.sizes()), block.attn_proj.weight, block.attn_proj.bias);
  return dropout(out, config_.dropout, draw, block.name + ".attn.resid_dropout");
}

at::Tensor Gpt::mlp(const at::Tensor& x, const Block& block, const DropoutDraw* draw) const {
  const at::Tensor hidden = at::gelu(linear(x, block.c_fc.weight, block.c_fc.bias));  // (B, T, 4d)
  const at::Tensor out = linear(hidden, block.mlp_proj.weight, block.mlp_proj.bias);
  return dropout(out, config_.dropout, draw, block.name + ".mlp.dropout");
}

at::Tensor Gpt::logits(const at::Tensor& ids, const DropoutDraw* draw,
                       ForwardObserver* observer) const {
  if (ids.dim() != 2 || ids.size(1) > config_.block_size) {
    fail(ExitCode::kBadInput, "Ids of shape ({}) do not fit a model of block_size {}",
         fmt::join(ids.sizes(), ", "), config_.block_size);
  }
  at::Tensor x = embed(ids, draw);
  for (const Block& block : blocks_) {
    if (observer != nullptr) observer->see_block_input(block.layer, x);
    const at::Tensor mixed = attend(norm(x, block.ln_1), block, draw, observer);
    if (observer != nullptr) observer->see_branch(block.layer, Branch::kAttention, mixed);
    x = x + mixed;
    const at::Tensor fed = mlp(norm(x, block.ln_2), block, draw);
    if (observer != nullptr) observer->see_branch(block.layer, Branch::kMlp, fed);
    x = x + fed;
  }
  if (observer != nullptr) observer->see_last_residual(x);
  return at::linear(norm(x, ln_f_), head_);  // (B, T, V)
}

at::Tensor Gpt::loss(const at::Tensor& ids, const at::Tensor& targets,
                     const DropoutDraw* draw) const {
  return at::cross_entropy_loss(logits(ids, draw).flatten(0, 1), targets.flatten());
}

}  // namespace sweep
