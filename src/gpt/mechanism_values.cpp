#include "gpt/mechanism_values.h"

#include <fmt/format.h>

#include <cmath>

#include "gpt/named_values.h"

namespace sweep {
namespace {

// ---- attention ----------------------------------------------------------------------------------

/// A number of each head, by layer.
template <typename Of>
std::vector<Numbers> by_head(const MechanismSums& sums, Of of) {
  std::vector<Numbers> all;
  for (const AttentionSums& layer : sums.attention) {
    Numbers& heads = all.emplace_back();
    for (const HeadSums& head : layer.heads) heads.push_back(of(head));
  }
  return all;
}

Numbers in_each_layer(const std::vector<Numbers>& heads, double (*statistic)(const Numbers&)) {
  Numbers all;
  for (const Numbers& layer : heads) all.push_back(statistic(layer));
  return all;
}

template <double HeadSums::* kLogit>
NamedValues logit_values(const std::string& name, const MechanismSums& sums) {
  const auto heads = by_head(sums, [](const HeadSums& head) { return head.*kLogit; });
  const Numbers layers = in_each_layer(heads, largest);
  return with_heads(name, largest(layers), layers, heads);
}

/// Means over heads and layers of what each head has.
NamedValues mean_values(const std::string& name, const std::vector<Numbers>& heads) {
  const Numbers layers = in_each_layer(heads, mean_of);
  return with_heads(name, mean_of(layers), layers, heads);
}

NamedValues with_smallest(NamedValues values, const std::string& name,
                          const std::vector<Numbers>& heads) {
  values.emplace_back(name + "/min", smallest(flattened(heads)));
  return values;
}

NamedValues entropy_values(const std::string& name, const MechanismSums& sums) {
  const auto heads =
      by_head(sums, [&](const HeadSums& head) { return mean_of(head.entropy) / sums.windows; });
  return with_smallest(mean_values(name, heads), name, heads);
}

/// Query i, from 1, can reach at most ln i; the first has nothing to choose and no share.
double mean_share_of_the_most(const Numbers& entropy) {
  Numbers shares;
  for (std::size_t i = 1; i < entropy.size(); ++i) {
    shares.push_back(entropy[i] / std::log(static_cast<double>(i + 1)));
  }
  return mean_of(shares);
}

NamedValues normalised_entropy_values(const std::string& name, const MechanismSums& sums) {
  const auto heads = by_head(sums, [&](const HeadSums& head) {
    return mean_share_of_the_most(head.entropy) / sums.windows;
  });
  return with_smallest(mean_values(name, heads), name, heads);
}

NamedValues sink_values(const std::string& name, const MechanismSums& sums) {
  return mean_values(
      name, by_head(sums, [&](const HeadSums& head) { return head.sinks / sums.windows; }));
}

NamedValues qk_rms_values(const std::string& name, const MechanismSums& sums) {
  double squares = 0;
  double entries = 0;
  NamedValues by_layer;
  for (std::size_t i = 0; i < sums.attention.size(); ++i) {
    const AttentionSums& layer = sums.attention[i];
    squares += layer.q_squares + layer.k_squares;
    entries += 2 * layer.entries;
    by_layer.emplace_back(in_layer(name + "/q", i), std::sqrt(layer.q_squares / layer.entries));
    by_layer.emplace_back(in_layer(name + "/k", i), std::sqrt(layer.k_squares / layer.entries));
  }
  NamedValues values{{name, std::sqrt(squares / entries)}};
  values.insert(values.end(), by_layer.begin(), by_layer.end());
  return values;
}

NamedValues gain_values(const std::string& name, const MechanismSums& sums) {
  if (sums.gains.empty()) return {};
  NamedValues values{{name, 0}};
  Numbers gains;
  for (const auto& [part, gain] : sums.gains) {
    values.emplace_back(name + "/" + part, gain);
    gains.push_back(gain);
  }
  values.front().second = largest(gains);
  return values;
}

// ---- activations --------------------------------------------------------------------------------

using Statistic = double (*)(const ActivationSums& sums);

Numbers of_each(const std::vector<ActivationSums>& places, Statistic statistic) {
  Numbers all;
  for (const ActivationSums& place : places) all.push_back(statistic(place));
  return all;
}

/// Over the layers of one kind of tensor.
NamedValues shape_values_of(const std::string& name, const Numbers& by_layer) {
  NamedValues values = with_layers(name, mean_of(by_layer), by_layer);
  values.emplace_back(name + "/max", largest(by_layer));
  return values;
}

/// The same statistic of each block's input, of what leaves the last, and of what branches add.
template <Statistic kStatistic>
NamedValues shape_values(const std::string& name, const MechanismSums& sums) {
  Numbers inputs = of_each(sums.residual, kStatistic);
  const double out = inputs.back();
  inputs.pop_back();
  NamedValues all = shape_values_of(name, inputs);
  all.emplace_back(name + "/out", out);
  for (const auto& [tensor, places] :
       {std::pair("/attention_out", &sums.attention_out), std::pair("/mlp_out", &sums.mlp_out)}) {
    const NamedValues some = shape_values_of(name + tensor, of_each(*places, kStatistic));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Mean over tokens of m4/m2^2 over the token's features.
double token_kurtosis(const ActivationSums& sums) { return sums.token_kurtosis / sums.tokens; }

/// n M4/M2^2 - 3 over all entries.
double excess_kurtosis(const ActivationSums& sums) {
  const CentralMoments& m = sums.moments;
  return m.n * m.m4 / (m.m2 * m.m2) - 3;
}

NamedValues residual_values(const std::string& name, const MechanismSums& sums) {
  const Numbers rms = of_each(sums.residual, [](const ActivationSums& place) {
    return std::sqrt(place.squares / place.entries);
  });
  return with_places(name, largest(rms), rms);
}

NamedValues massive_values(const std::string& name, const MechanismSums& sums) {
  const Numbers ratios =
      of_each(sums.residual, [](const ActivationSums& place) { return place.massive; });
  NamedValues values = with_places(name, largest(ratios), ratios);
  for (std::size_t i = 0; i < sums.residual.size(); ++i) {
    const Numbers& sizes = sums.residual[i].top;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const std::string top = fmt::format("{}/top{}", name, rank + 1);
      const bool is_input = i + 1 < sums.residual.size();
      values.emplace_back(is_input ? in_layer(top, i) : top + "/out", sizes[rank]);
    }
  }
  return values;
}

// ---- output and optimiser -----------------------------------------------------------------------

NamedValues log_z_values(const std::string& name, const MechanismSums& sums) {
  return {{name, sums.log_z / sums.log_z_tokens}};
}

NamedValues update_values(const std::string& name, const MechanismSums& sums) {
  if (sums.update_of_tensors.empty()) return {};
  Numbers by_layer;
  for (const auto& [layer, update] : sums.update_by_layer) by_layer.push_back(update.rms());
  NamedValues values = with_layers(name, sums.update.rms(), by_layer);
  values.emplace_back(name + "/min", smallest(sums.update_of_tensors));
  return values;
}

}  // namespace

const std::map<std::string, MechanismFormula>& mechanism_formulas() {
  using Wanted = WantedSums;
  static const std::map<std::string, MechanismFormula> all = {
      {"max_attention_logit", {&Wanted::logits, logit_values<&HeadSums::max_logit>}},
      {"max_abs_attention_logit", {&Wanted::logits, logit_values<&HeadSums::max_abs_logit>}},
      {"attention_entropy", {&Wanted::entropy, entropy_values}},
      {"attention_entropy_normalised", {&Wanted::entropy, normalised_entropy_values}},
      {"attention_sink", {&Wanted::sink, sink_values}},
      {"qk_rms", {&Wanted::qk_squares, qk_rms_values}},
      {"qk_gain", {&Wanted::gains, gain_values}},
      {"kurtosis_rms_token", {&Wanted::token_kurtosis, shape_values<token_kurtosis>}},
      {"kurtosis_excess_tensor", {&Wanted::tensor_moments, shape_values<excess_kurtosis>}},
      {"residual_rms", {&Wanted::squares, residual_values}},
      {"massive_activation", {&Wanted::massive, massive_values}},
      {"log_z", {&Wanted::log_z, log_z_values}},
      {"update_rms", {&Wanted::updates, update_values}}};
  return all;
}

WantedSums wanted_sums(const std::vector<std::string>& quantities) {
  WantedSums wanted;
  for (const std::string& name : quantities) wanted.*mechanism_formulas().at(name).needs = true;
  return wanted;
}

NamedValues mechanism_values(const std::vector<std::string>& quantities,
                             const MechanismSums& sums) {
  NamedValues all;
  for (const std::string& name : quantities) {
    const NamedValues some = mechanism_formulas().at(name).values(name, sums);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace sweep
