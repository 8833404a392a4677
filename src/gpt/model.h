#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpt/dropout.h"
#include "gpt/observer.h"
#include "gpt/qk_norm.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// One trained tensor under nanoGPT's state-dict name (`transformer.h.0.attn.c_attn.weight`); gains
/// of QK-norm are `transformer.h.N.attn.q_norm.weight`, `...k_norm.weight`, `...qk_scale`.
struct Parameter {
  std::string name;
  at::Tensor value;  ///< a leaf that requires its gradient
  bool decayed;      ///< nanoGPT's rule: tensors of two or more dimensions
};

/// nanoGPT's GPT (karpathy/nanoGPT model.py) with the QK-norm switch: pre-LN blocks, learned
/// positions, fused c_attn, exact GELU, 4d hidden, optional bias, tied or untied head.
class Gpt {
 public:
  /// Builds and initialises: every tensor draws from a stream of its own, keyed by (seed, name), so
  /// that a gain or a layer more leaves all other tensors' values as they were. Throws `Error` for
  /// a config that `model_problems` objects to, or one without a vocabulary size.
  Gpt(const ModelConfig& config, at::ScalarType dtype, at::Device device, std::uint64_t seed);

  /// (B, T) int64 ids, T <= block_size -> logits (B, T, V). `dropout` null: evaluation. An
  /// `observer` is shown what is computed on the way.
  [[nodiscard]] at::Tensor logits(const at::Tensor& ids, const DropoutDraw* dropout = nullptr,
                                  ForwardObserver* observer = nullptr) const;

  /// Mean cross-entropy in nats over (B, T) int64 targets: a scalar tensor.
  [[nodiscard]] at::Tensor loss(const at::Tensor& ids, const at::Tensor& targets,
                                const DropoutDraw* dropout = nullptr) const;

  /// In a fixed order (nanoGPT's), each tensor once: a tied head is its embedding.
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] const ModelConfig& config() const { return config_; }

 private:
  /// A weight and its bias; the bias is undefined where the model has none.
  struct Affine {
    at::Tensor weight;
    at::Tensor bias;
  };
  struct Block {
    std::int64_t layer;
    std::string name;  // "h.0", for dropout
    Affine ln_1, c_attn, attn_proj, ln_2, c_fc, mlp_proj;
    QkNormParameters qk_norm;
  };

  [[nodiscard]] at::Tensor find(const std::string& name) const;
  [[nodiscard]] Affine affine(const std::string& name) const;
  [[nodiscard]] Block block(std::int64_t layer) const;

  [[nodiscard]] at::Tensor norm(const at::Tensor& x, const Affine& ln) const;
  [[nodiscard]] at::Tensor embed(const at::Tensor& ids, const DropoutDraw* dropout) const;
  [[nodiscard]] at::Tensor attend(const at::Tensor& x, const Block& block,
                                  const DropoutDraw* dropout, ForwardObserver* observer) const;
  [[nodiscard]] at::Tensor mlp(const at::Tensor& x, const Block& block,
                               const DropoutDraw* dropout) const;

  ModelConfig config_;
  std::vector<Parameter> parameters_;
  std::vector<Block> blocks_;
  at::Tensor wte_, wpe_, head_;
  Affine ln_f_;
};

}  // namespace sweep
