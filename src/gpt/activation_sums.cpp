#include "gpt/activation_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "gpt/tensor_numbers.h"

namespace sweep {
namespace {

/// The block that a tensor belongs to: 3 for transformer.h.3.attn.c_attn.weight.
std::optional<std::size_t> layer_of(const std::string& parameter) {
  constexpr std::string_view kBlocks = "transformer.h.";
  if (!parameter.starts_with(kBlocks)) return std::nullopt;
  return std::stoul(parameter.substr(kBlocks.size()));
}

void add_tokens(const at::Tensor& x, ActivationSums& sums) {
  const at::Tensor squares = x.square();  // (B, T, d)
  const std::vector<double> second = numbers_of(squares.mean(-1));
  const std::vector<double> fourth = numbers_of(squares.square().mean(-1));
  for (std::size_t i = 0; i < second.size(); ++i) sums.see_token(second[i], fourth[i]);
}

CentralMoments moments_of(const at::Tensor& x) {
  const at::Tensor wide = where_float64_is(x).to(at::kDouble);
  const double mean = number_of(wide.mean());
  const at::Tensor d = wide - mean;
  const at::Tensor squares = d.square();
  return {static_cast<double>(wide.numel()), mean, number_of(squares.sum()),
          number_of((squares * d).sum()), number_of(squares.square().sum())};
}

at::Tensor median_of(const at::Tensor& rows) {
  const std::int64_t n = rows.size(1);
  const auto ranked = [&](std::int64_t k) { return std::get<0>(rows.kthvalue(k, 1)); };
  return (ranked((n + 1) / 2) + ranked(n / 2 + 1)) / 2;
}

void add_windows(const at::Tensor& x, ActivationSums& sums) {
  const at::Tensor sizes = x.abs().flatten(1);  // (B, T d)
  for (const double ratio : numbers_of((sizes.amax(1) / median_of(sizes)).log())) {
    sums.see_window(ratio);
  }
  const auto count = std::min<std::int64_t>(ActivationSums::kTop, sizes.numel());
  sums.see_top(numbers_of(std::get<0>(sizes.flatten().topk(count))));
}

}  // namespace

void add_activation(const at::Tensor& x, const WantedSums& wanted, ActivationSums& sums) {
  if (wanted.token_kurtosis) add_tokens(x, sums);
  if (wanted.tensor_moments) sums.moments.merge(moments_of(x));
  if (wanted.squares) {
    sums.squares += square_sum(x);
    sums.entries += static_cast<double>(x.numel());
  }
  if (wanted.massive) add_windows(x, sums);
}

void add_log_z(const at::Tensor& logits, MechanismSums& sums) {
  const at::Tensor log_z = at::logsumexp(logits, -1);  // (B, T)
  sums.log_z += number_of(where_float64_is(log_z).sum(at::kDouble));
  sums.log_z_tokens += static_cast<double>(log_z.numel());
}

void add_gains(const std::vector<Parameter>& parameters, MechanismSums& sums) {
  for (const Parameter& parameter : parameters) {
    for (const auto& [ending, part] :
         {std::pair(".q_norm.weight", "q"), std::pair(".k_norm.weight", "k"),
          std::pair(".qk_scale", "scale")}) {
      if (!parameter.name.ends_with(ending)) continue;
      sums.gains.emplace_back(fmt::format("{}/L{}", part, *layer_of(parameter.name)),
                              number_of(parameter.value.abs().max()));
    }
  }
}

void add_updates(const std::vector<Parameter>& parameters, const AdamMoments& adam,
                 MechanismSums& sums) {
  if (adam.steps == 0) return;
  const double steps = static_cast<double>(adam.steps);
  const double first_share = 1 - std::pow(adam.beta1, steps);
  const double second_share = 1 - std::pow(adam.beta2, steps);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor m = where_float64_is(adam.first[i]).to(at::kDouble) / first_share;
    const at::Tensor v = where_float64_is(adam.second[i]).to(at::kDouble) / second_share;
    const at::Tensor update = m / (v.sqrt() + adam.eps);
    const UpdateSums one{square_sum(update), static_cast<double>(update.numel())};
    sums.update_of_tensors.push_back(one.rms());
    sums.update.add(one);
    if (const auto layer = layer_of(parameters[i].name)) sums.update_by_layer[*layer].add(one);
  }
}

}  // namespace sweep
