#include "gpt/mechanism.h"

#include <c10/core/GradMode.h>

#include <utility>

#include "gpt/attention_sums.h"
#include "gpt/fused/model.h"
#include "gpt/mechanism_values.h"

namespace sweep {
namespace {

/// A probe that has seen all that belongs to no forward pass.
MechanismProbe probe_of(const Gpt& model, const std::vector<std::string>& quantities,
                        const AdamMoments* moments) {
  MechanismProbe probe(quantities, model.config().n_layer);
  probe.see_parameters(model.parameters());
  if (moments != nullptr) probe.see_moments(model.parameters(), *moments);
  return probe;
}

}  // namespace

MechanismProbe::MechanismProbe(std::vector<std::string> quantities, std::int64_t layers)
    : quantities_(std::move(quantities)),
      sums_(wanted_sums(quantities_), static_cast<std::size_t>(layers)) {}

void MechanismProbe::see_block_input(std::int64_t layer, const at::Tensor& x) {
  add_activation(x, sums_.wanted, sums_.residual.at(static_cast<std::size_t>(layer)));
}

void MechanismProbe::see_last_residual(const at::Tensor& x) {
  add_activation(x, sums_.wanted, sums_.residual.back());
}

void MechanismProbe::see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) {
  auto& branches = branch == Branch::kAttention ? sums_.attention_out : sums_.mlp_out;
  add_activation(x, sums_.wanted.of_branches(), branches.at(static_cast<std::size_t>(layer)));
}

void MechanismProbe::see_queries_and_keys(std::int64_t layer, const at::Tensor& q,
                                          const at::Tensor& k, const QueriesAndKeys& normalised) {
  AttentionSums& sums = sums_.attention.at(static_cast<std::size_t>(layer));
  if (sums_.wanted.qk_squares) add_queries_and_keys(q, k, sums);
  if (sums_.wanted.attention()) add_attention(normalised, sums_.wanted, sums);
  if (layer == 0) sums_.windows += static_cast<double>(q.size(0));
}

void MechanismProbe::see_output(const at::Tensor& logits) {
  if (sums_.wanted.log_z) add_log_z(logits, sums_);
}

void MechanismProbe::see_parameters(const std::vector<Parameter>& parameters) {
  if (sums_.wanted.gains) add_gains(parameters, sums_);
}

void MechanismProbe::see_moments(const std::vector<Parameter>& parameters,
                                 const AdamMoments& moments) {
  if (sums_.wanted.updates) add_updates(parameters, moments, sums_);
}

NamedValues MechanismProbe::values() const { return mechanism_values(quantities_, sums_); }

NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments) {
  const c10::NoGradGuard no_grad;
  MechanismProbe probe = probe_of(model, quantities, moments);
  for_each_chunk(set, model.config().block_size, device,
                 [&](const at::Tensor& ids, const at::Tensor&) {
                   probe.see_output(model.logits(ids, nullptr, &probe));
                   between_chunks();
                 });
  return probe.values();
}

NamedValues measure_mechanism(FusedModel& fused, const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments) {
  const c10::NoGradGuard no_grad;
  MechanismProbe probe = probe_of(model, quantities, moments);
  for_each_batch(set, model.config().block_size, [&](const TokenBatch& batch) {
    fused.loss_sum({batch.inputs, batch.targets}, &probe.sums());
    between_chunks();
  });
  return probe.values();
}

}  // namespace sweep
