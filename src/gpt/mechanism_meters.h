#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpt/model.h"
#include "gpt/observer.h"

namespace sweep {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Causal attention of some windows in one block, from which each meter takes what it needs.
struct CausalLogits {
  explicit CausalLogits(const QueriesAndKeys& qk);

  at::Tensor z;       ///< (B, H, T, T) logits after the scale; 0 where j > i
  at::Tensor future;  ///< (T, T) where j > i

  /// Computed on demand, since most meters need neither.
  struct Softmax {
    at::Tensor probabilities;  ///< (B, H, T, T)
    at::Tensor entropy;        ///< (B, H, T) nats
  };
  [[nodiscard]] const Softmax& softmax() const;

 private:
  mutable Softmax softmax_;
};

/// AdamW after an update: its moments in parameter order.
struct AdamMoments {
  const std::vector<at::Tensor>& first;
  const std::vector<at::Tensor>& second;
  std::int64_t steps = 0;  ///< updates made
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
};

/// Accumulates one quantity of `measure.mechanism` over the windows that a model is shown.
class Meter {
 public:
  virtual ~Meter() = default;

  /// The residual stream (B, T, d) that enters block `place`; for `place` = L the one that leaves
  /// the last block.
  virtual void see_residual(std::size_t /*place*/, const at::Tensor& /*x*/) {}
  virtual void see_branch(std::size_t /*layer*/, Branch /*branch*/, const at::Tensor& /*x*/) {}
  /// Before their norm, (B, T, H, Dh).
  virtual void see_queries_and_keys(std::size_t /*layer*/, const at::Tensor& /*q*/,
                                    const at::Tensor& /*k*/) {}
  /// Only shown where `needs_attention()`.
  virtual void see_attention(std::size_t /*layer*/, const CausalLogits& /*attention*/) {}
  /// The model's output: (B, T, V).
  virtual void see_output(const at::Tensor& /*logits*/) {}
  virtual void see_parameters(const std::vector<Parameter>& /*parameters*/) {}
  virtual void see_moments(const std::vector<Parameter>& /*parameters*/,
                           const AdamMoments& /*moments*/) {}

  [[nodiscard]] virtual bool needs_attention() const { return false; }

  /// Under the quantity's own name, and more under NAME/...; empty when nothing was there to see.
  [[nodiscard]] virtual NamedValues values() const = 0;
};

using MakeMeter = std::unique_ptr<Meter> (*)(const std::string& name, std::size_t layers);

/// One row per quantity; together they are `mechanism_quantities()`.
const std::map<std::string, MakeMeter>& attention_meters();
const std::map<std::string, MakeMeter>& activation_meters();

}  // namespace sweep
