#include "gpt/mechanism.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace sweep {
namespace {

/// Entries of the (B, H, T, T) tensors that are alive at once: 16 MB each in single precision.
constexpr std::int64_t kMostLogits = std::int64_t{1} << 22;

std::unique_ptr<Meter> make_meter(const std::string& quantity, std::size_t layers) {
  const auto found = attention_meters().find(quantity);
  const MakeMeter make =
      found != attention_meters().end() ? found->second : activation_meters().at(quantity);
  return make(quantity, layers);
}

}  // namespace

MechanismProbe::MechanismProbe(const std::vector<std::string>& quantities, std::int64_t layers)
    : layers_(static_cast<std::size_t>(layers)) {
  for (const std::string& quantity : quantities) meters_.push_back(make_meter(quantity, layers_));
}

void MechanismProbe::see_block_input(std::int64_t layer, const at::Tensor& x) {
  for (const auto& meter : meters_) meter->see_residual(static_cast<std::size_t>(layer), x);
}

void MechanismProbe::see_last_residual(const at::Tensor& x) {
  for (const auto& meter : meters_) meter->see_residual(layers_, x);
}

void MechanismProbe::see_branch(std::int64_t layer, Branch branch, const at::Tensor& x) {
  for (const auto& meter : meters_) meter->see_branch(static_cast<std::size_t>(layer), branch, x);
}

void MechanismProbe::see_queries_and_keys(std::int64_t layer, const at::Tensor& q,
                                          const at::Tensor& k, const QueriesAndKeys& normalised) {
  const auto at = static_cast<std::size_t>(layer);
  for (const auto& meter : meters_) meter->see_queries_and_keys(at, q, k);
  see_attention(at, normalised);
}

void MechanismProbe::see_attention(std::size_t layer, const QueriesAndKeys& qk) {
  if (std::none_of(meters_.begin(), meters_.end(),
                   [](const auto& meter) { return meter->needs_attention(); })) {
    return;
  }
  const std::int64_t windows = qk.q.size(0);
  const std::int64_t of_one = qk.q.size(1) * qk.q.size(1) * qk.q.size(2);
  const std::int64_t at_once = std::clamp<std::int64_t>(kMostLogits / of_one, 1, windows);
  for (std::int64_t first = 0; first < windows; first += at_once) {
    const std::int64_t count = std::min(at_once, windows - first);
    const CausalLogits attention(
        {qk.q.narrow(0, first, count), qk.k.narrow(0, first, count), qk.scale});
    for (const auto& meter : meters_) {
      if (meter->needs_attention()) meter->see_attention(layer, attention);
    }
  }
}

void MechanismProbe::see_output(const at::Tensor& logits) {
  for (const auto& meter : meters_) meter->see_output(logits);
}

void MechanismProbe::see_parameters(const std::vector<Parameter>& parameters) {
  for (const auto& meter : meters_) meter->see_parameters(parameters);
}

void MechanismProbe::see_moments(const std::vector<Parameter>& parameters,
                                 const AdamMoments& moments) {
  for (const auto& meter : meters_) meter->see_moments(parameters, moments);
}

NamedValues MechanismProbe::values() const {
  NamedValues all;
  for (const auto& meter : meters_) {
    const NamedValues some = meter->values();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

NamedValues measure_mechanism(const Gpt& model, const FixedSet& set,
                              const std::vector<std::string>& quantities, at::Device device,
                              const std::function<void()>& between_chunks,
                              const AdamMoments* moments) {
  const c10::NoGradGuard no_grad;
  MechanismProbe probe(quantities, model.config().n_layer);
  probe.see_parameters(model.parameters());
  if (moments != nullptr) probe.see_moments(model.parameters(), *moments);
  for_each_chunk(set, model.config().block_size, device,
                 [&](const at::Tensor& ids, const at::Tensor&) {
                   probe.see_output(model.logits(ids, nullptr, &probe));
                   between_chunks();
                 });
  return probe.values();
}

}  // namespace sweep
