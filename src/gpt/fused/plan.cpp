#include "gpt/fused/plan.h"

#include <algorithm>
#include <string>

#include "gpt/fused/norm.h"
#include "gpt/kernels/attention_kernel.h"

namespace sweep {
namespace {

constexpr std::int64_t kChunkTokens = 512;
constexpr std::int64_t kLogits = 1 << 19;  // at once: 2 MB

/// Lays out the arrays of one plan, in the order of its diagram.
class Planner {
 public:
  Planner(FusedPlan& plan, Cursor& cursor)
      : plan_(plan), cursor_(cursor), d_(plan.model.n_embd), tokens_(plan.chunk_tokens()) {}

  void lay_out() {
    for (const TensorPlan& tensor : plan_tensors(plan_.model)) plan_.tensors.push_back({tensor});
    plan_.values = lay_out_tensors(&FusedTensor::value);
    plan_.tensor_numbers = cursor_.used();
    plan_.gradients = lay_out_tensors(&FusedTensor::gradient);
    lay_out_tensors(&FusedTensor::m);
    lay_out_tensors(&FusedTensor::v);
    connect();
    for (Linear* linear : linears()) lay_out_panels(*linear);
    for (FusedBlock& block : plan_.blocks) lay_out_activations(block);
    plan_.x_last = cursor_.take(tokens_ * d_);
    plan_.ln_f.scales = take_scales(tokens_);
    lay_out_scratch(plan_.scratch);
    plan_.used = cursor_.used();
  }

 private:
  float* lay_out_tensors(float* FusedTensor::* part) {
    for (FusedTensor& tensor : plan_.tensors) tensor.*part = cursor_.take(tensor.plan.size());
    return plan_.tensors.front().*part;
  }

  [[nodiscard]] const FusedTensor* find(const std::string& name) const {
    for (const FusedTensor& tensor : plan_.tensors) {
      if (tensor.plan.name == name) return &tensor;
    }
    return nullptr;
  }

  [[nodiscard]] Vector vector(const std::string& name) const {
    const FusedTensor* tensor = find(name);
    return tensor == nullptr ? Vector{} : Vector{tensor->value, tensor->gradient};
  }

  [[nodiscard]] LayerNorm layer_norm(const std::string& name) const {
    return {vector(name + ".weight"), vector(name + ".bias"), nullptr};
  }

  [[nodiscard]] Linear linear(const std::string& name) const {
    const FusedTensor& weight = *find(name + ".weight");
    const Vector bias = vector(name + ".bias");
    return {weight.plan.shape[1], weight.plan.shape[0], weight.value, weight.gradient,
            bias.value,           bias.gradient,        nullptr,      nullptr};
  }

  void connect() {
    const FusedTensor& wte = *find("transformer.wte.weight");
    const FusedTensor& wpe = *find("transformer.wpe.weight");
    plan_.wte = wte.value;
    plan_.wte_gradient = wte.gradient;
    plan_.wpe = wpe.value;
    plan_.wpe_gradient = wpe.gradient;
    for (std::int64_t layer = 0; layer < plan_.model.n_layer; ++layer) {
      plan_.blocks.push_back(block("transformer.h." + std::to_string(layer)));
    }
    plan_.ln_f = layer_norm("transformer.ln_f");
    plan_.head = linear(plan_.model.tie_weights ? "transformer.wte" : "lm_head");
  }

  [[nodiscard]] FusedBlock block(const std::string& name) const {
    FusedBlock block{};
    block.ln_1 = layer_norm(name + ".ln_1");
    block.ln_2 = layer_norm(name + ".ln_2");
    block.c_attn = linear(name + ".attn.c_attn");
    block.attn_proj = linear(name + ".attn.c_proj");
    block.c_fc = linear(name + ".mlp.c_fc");
    block.mlp_proj = linear(name + ".mlp.c_proj");
    block.q_gain = vector(name + ".attn.q_norm.weight");
    block.k_gain = vector(name + ".attn.k_norm.weight");
    block.qk_scale = vector(name + ".attn.qk_scale");
    return block;
  }

  std::vector<Linear*> linears() {
    std::vector<Linear*> all = {&plan_.head};
    for (FusedBlock& block : plan_.blocks) {
      all.insert(all.end(), {&block.c_attn, &block.attn_proj, &block.c_fc, &block.mlp_proj});
    }
    return all;
  }

  void lay_out_panels(Linear& linear) {
    linear.forward_panels = cursor_.take(panel_size(linear.in, linear.out));
    linear.backward_panels = cursor_.take(panel_size(linear.out, linear.in));
  }

  RowScale* take_scales(std::int64_t rows) {
    return reinterpret_cast<RowScale*>(cursor_.take(2 * rows));  // NOLINT: two floats each
  }

  void lay_out_activations(FusedBlock& block) {
    for (LayerNorm* norm : {&block.ln_1, &block.ln_2}) norm->scales = take_scales(tokens_);
    for (float** array :
         {&block.x, &block.normed_1, &block.mixed, &block.x_middle, &block.normed_2}) {
      *array = cursor_.take(tokens_ * d_);
    }
    block.qkv = cursor_.take(tokens_ * 3 * d_);
    if (plan_.model.qk_norm != QkNorm::kNone) {
      for (float** array : {&block.q, &block.k}) *array = cursor_.take(tokens_ * d_);
      for (RowScale** scales : {&block.q_scales, &block.k_scales}) {
        *scales = take_scales(tokens_ * plan_.model.n_head);
      }
    }
    block.log_sums = cursor_.take(tokens_ * plan_.model.n_head);
    for (float** array : {&block.slope, &block.active}) *array = cursor_.take(tokens_ * 4 * d_);
  }

  void lay_out_scratch(Scratch& scratch) {
    const std::int64_t sequence = plan_.model.block_size * d_;
    const AttentionShape shape{1, plan_.model.block_size, plan_.model.n_head, plan_.head_size};
    for (float** array : {&scratch.normed, &scratch.dx, &scratch.dnormed, &scratch.branch}) {
      *array = cursor_.take(tokens_ * d_);
    }
    scratch.wide = cursor_.take(tokens_ * 4 * d_);
    scratch.logits = cursor_.take(plan_.head_rows * plan_.model.vocab_size);
    scratch.panels = cursor_.take(panel_size(tokens_, 4 * d_));
    scratch.sums = cursor_.take(2 * padded(std::max(4 * d_, plan_.model.vocab_size)));
    for (float** array : {&scratch.dq, &scratch.dk}) *array = cursor_.take(sequence);
    scratch.gains = cursor_.take(plan_.head_size);
    scratch.dgains = cursor_.take(plan_.head_size);
    scratch.attention = cursor_.take(attention_workspace<float>(shape));
    AttentionRows<float>& rows = scratch.measured;
    for (float** array : {&rows.max_logit, &rows.max_abs_logit, &rows.entropy, &rows.first}) {
      *array = cursor_.take(plan_.model.n_head * plan_.model.block_size);
    }
  }

  FusedPlan& plan_;
  Cursor& cursor_;
  std::int64_t d_;
  std::int64_t tokens_;
};

}  // namespace

FusedPlan::FusedPlan(const ModelConfig& config, std::int64_t batch_size, Cursor cursor)
    : model(config),
      head_size(config.n_embd / config.n_head),
      chunk_sequences(std::clamp<std::int64_t>(kChunkTokens / config.block_size, 1, batch_size)),
      head_rows(std::clamp<std::int64_t>(kLogits / config.vocab_size, 1, chunk_tokens())) {
  Planner(*this, cursor).lay_out();
}

std::int64_t fused_size(const ModelConfig& model, std::int64_t batch_size) {
  return FusedPlan(model, batch_size, Cursor(nullptr)).used;
}

}  // namespace sweep
