#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpt/evaluation.h"
#include "gpt/mechanism_meters.h"
#include "gpt/model.h"
#include "gpt/observer.h"

namespace sweep {

/// Accumulates the quantities of `measure.mechanism` over the batches that a model is shown.
/// Formula, source and names of each stand in docs/definitions.md, "Mechanism".
class MechanismProbe : public ForwardObserver {
 public:
  MechanismProbe(const std::vector<std::string>& quantities, std::int64_t layers);

  void see_block_input(std::int64_t layer, const at::Tensor& x) override;
  void see_queries_and_keys(std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                            const QueriesAndKeys& normalised) override;
  void see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) override;
  void see_last_residual(const at::Tensor& x) override;

  /// What a forward pass ends in, (B, T, V), and what belongs to no forward pass.
  void see_output(const at::Tensor& logits);
  void see_parameters(const std::vector<Parameter>& parameters);
  void see_moments(const std::vector<Parameter>& parameters, const AdamMoments& moments);

  /// In the order in which the quantities were asked for.
  [[nodiscard]] NamedValues values() const;

 private:
  void see_attention(std::size_t layer, const QueriesAndKeys& qk);

  std::size_t layers_;
  std::vector<std::unique_ptr<Meter>> meters_;
};

/// The quantities on the fixed set of the validation loss. `moments`: of the optimiser, for
/// `update_rms`; without it that has no value. Draws nothing, changes nothing.
NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments = nullptr);

}  // namespace sweep
