#include "sweep/prereg/mechanism_quantities.h"

#include <array>

namespace sweep {

std::span<const MechanismQuantity> mechanism_quantities() {
  static const std::array<MechanismQuantity, 13> quantities = {{
      {"max_attention_logit", "Largest attention logit of a causal pair, signed."},
      {"attention_entropy", "Entropy of the attention of a query, in nats."},
      {"kurtosis_rms_token",
       "Kurtosis of the residual stream within a token, not centred, 3 for a Gaussian."},
      {"qk_rms", "Root mean square of queries and keys before their norm."},
      {"max_abs_attention_logit", "Largest attention logit of a causal pair, without its sign."},
      {"attention_entropy_normalised",
       "Entropy of the attention of a query as a share of the most it can be."},
      {"kurtosis_excess_tensor",
       "Kurtosis of the residual stream over the whole tensor, centred, in excess of 3."},
      {"residual_rms", "Root mean square of the residual stream."},
      {"qk_gain", "Largest size of a learned gain of queries and keys."},
      {"massive_activation",
       "Largest entry of the residual stream relative to its median, as a logarithm."},
      {"attention_sink", "Share of windows and heads whose attention rests on the first token."},
      {"log_z", "Mean logarithm of the normaliser of the output softmax."},
      {"update_rms", "Root mean square of the last Adam update, before the learning rate."},
  }};
  return quantities;
}

}  // namespace sweep
