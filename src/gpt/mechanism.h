#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gpt/evaluation.h"
#include "gpt/model.h"
#include "gpt/observer.h"

namespace sweep {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Accumulates the quantities of `measure.mechanism` over the batches that a model is shown. With z
/// the attention logits of causal pairs (j <= i) after the scale, A their softmax, x the residual
/// stream that enters a block:
///   max_attention_logit  largest signed z (Wortsman et al. 2023); non-finite: inf
///   attention_entropy    -sum_j A_ij ln A_ij in nats, mean over queries, batch and heads
///   kurtosis_rms_token   sum(x^4)/d / (sum(x^2)/d)^2 per token, not centred, mean over tokens: 3
///                        for a Gaussian, in [1, d]
///   qk_rms               root mean square of queries and keys before their norm
/// Each under its name over all layers (maximum, mean, mean, root mean square), with "/L0", "/L1",
/// ... by layer, and "attention_entropy/min", the smallest over layers and heads (collapse is
/// local), "kurtosis_rms_token/max" over layers, "qk_rms/q/L0", "qk_rms/k/L0", ... apart.
class MechanismProbe : public ForwardObserver {
 public:
  MechanismProbe(std::vector<std::string> quantities, std::int64_t layers);

  void see_block_input(std::int64_t layer, const at::Tensor& x) override;
  void see_queries_and_keys(std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                            const QueriesAndKeys& normalised) override;

  /// In the order in which the quantities were asked for.
  [[nodiscard]] NamedValues values() const;

 private:
  /// Sums over everything seen of one layer.
  struct Layer {
    double max_logit = 0;
    bool has_logits = false;
    std::vector<double> entropy;  ///< per head, over queries
    double queries = 0;           ///< over batch and positions
    double kurtosis = 0;
    double tokens = 0;
    double q_squares = 0;
    double k_squares = 0;
    double entries = 0;  ///< of q, and of k
  };

  [[nodiscard]] bool wants(const std::string& quantity) const;
  void add_logits(Layer& layer, const QueriesAndKeys& qk) const;
  [[nodiscard]] NamedValues logit_values() const;
  [[nodiscard]] NamedValues entropy_values() const;
  [[nodiscard]] NamedValues kurtosis_values() const;
  [[nodiscard]] NamedValues rms_values() const;

  std::vector<std::string> quantities_;
  std::vector<Layer> layers_;
};

/// The quantities on the fixed set of the validation loss. Draws nothing, changes nothing.
NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks);

}  // namespace sweep
