#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpt/activation_sums.h"
#include "gpt/evaluation.h"
#include "gpt/mechanism_sums.h"
#include "gpt/model.h"
#include "gpt/observer.h"

namespace sweep {

/// Gathers by LibTorch's operators what `measure.mechanism` is computed from, over the windows that
/// a model is shown: the oracle of the hand-written step's measurements, and what a device takes.
class MechanismProbe : public ForwardObserver {
 public:
  MechanismProbe(std::vector<std::string> quantities, std::int64_t layers);

  void see_block_input(std::int64_t layer, const at::Tensor& x) override;
  void see_queries_and_keys(std::int64_t layer, const at::Tensor& q, const at::Tensor& k,
                            const QueriesAndKeys& normalised) override;
  void see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) override;
  void see_last_residual(const at::Tensor& x) override;

  /// What a forward pass ends in, (B, T, V), and what belongs to no forward pass.
  void see_output(const at::Tensor& logits);
  void see_parameters(const std::vector<Parameter>& parameters);
  void see_moments(const std::vector<Parameter>& parameters, const AdamMoments& moments);

  /// For what gathers sums of its own.
  [[nodiscard]] MechanismSums& sums() { return sums_; }

  /// In the order in which the quantities were asked for.
  [[nodiscard]] NamedValues values() const;

 private:
  std::vector<std::string> quantities_;
  MechanismSums sums_;
};

/// The quantities on the fixed set of the validation loss. `moments`: of the optimiser, for
/// `update_rms`; without it that has no value. Draws nothing, changes nothing.
NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments = nullptr);

/// The same by the hand-written step, whose memory `model` is a view of.
NamedValues measure_mechanism(FusedModel& fused, const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments = nullptr);

}  // namespace sweep
