#include "gpt/attention_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpt/tensor_numbers.h"

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Entries of the (B, H, T, T) tensors that are alive at once: 16 MB each in single precision.
constexpr std::int64_t kMostLogits = std::int64_t{1} << 22;

/// Causal attention of some windows in one block.
struct CausalLogits {
  explicit CausalLogits(const QueriesAndKeys& qk) {
    const at::Tensor q = qk.q.transpose(1, 2);  // (B, H, T, Dh)
    const at::Tensor k = qk.k.transpose(1, 2);
    const std::int64_t length = q.size(2);
    future = at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);
    z = (at::matmul(q, k.transpose(-2, -1)) * qk.scale).masked_fill(future, 0);
  }

  at::Tensor z;       ///< (B, H, T, T) logits after the scale; 0 where j > i
  at::Tensor future;  ///< (T, T) where j > i
};

void add_logits(const CausalLogits& attention, std::vector<HeadSums>& heads) {
  const at::Tensor past = attention.z.masked_fill(attention.future, -kInfinity);
  const std::vector<double> most = numbers_of(past.amax({0, 2, 3}));
  const std::vector<double> most_abs = numbers_of(attention.z.abs().amax({0, 2, 3}));
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i].see_largest(most[i], most_abs[i]);
}

void add_entropy(const at::Tensor& entropy, std::vector<HeadSums>& heads) {
  const at::Tensor by_query = where_float64_is(entropy).sum({0}, false, at::kDouble);  // (H, T)
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::vector<double> here = numbers_of(by_query[static_cast<std::int64_t>(i)]);
    std::vector<double>& sum = heads[i].entropy;
    sum.resize(here.size());
    for (std::size_t t = 0; t < here.size(); ++t) sum[t] += here[t];
  }
}

void add_sinks(const at::Tensor& probabilities, std::vector<HeadSums>& heads) {
  const at::Tensor first = probabilities.select(-1, 0).mean(-1);  // (B, H)
  for (std::size_t i = 0; i < heads.size(); ++i) {
    for (const double mean : numbers_of(first.select(1, static_cast<std::int64_t>(i)))) {
      heads[i].sinks += is_sink(mean) ? 1 : 0;
    }
  }
}

void add_softmax(const CausalLogits& attention, const WantedSums& wanted,
                 std::vector<HeadSums>& heads) {
  // H = ln sum e^(z - max) - sum A (z - max): no logarithm of a vanished probability, and no
  // difference of large numbers.
  const at::Tensor& future = attention.future;
  const at::Tensor most = attention.z.masked_fill(future, -kInfinity).amax(-1, /*keepdim=*/true);
  const at::Tensor below = (attention.z - most).masked_fill(future, 0);
  const at::Tensor weights = below.exp().masked_fill(future, 0);
  const at::Tensor total = weights.sum(-1, /*keepdim=*/true);
  const at::Tensor probabilities = weights / total;  // (B, H, T, T)
  if (wanted.sink) add_sinks(probabilities, heads);
  if (wanted.entropy) {
    add_entropy(total.squeeze(-1).log() - (probabilities * below).sum(-1), heads);
  }
}

}  // namespace

void add_attention(const QueriesAndKeys& qk, const WantedSums& wanted, AttentionSums& sums) {
  sums.heads.resize(static_cast<std::size_t>(qk.q.size(2)));
  const std::int64_t windows = qk.q.size(0);
  const std::int64_t of_one = qk.q.size(1) * qk.q.size(1) * qk.q.size(2);
  const std::int64_t at_once = std::clamp<std::int64_t>(kMostLogits / of_one, 1, windows);
  for (std::int64_t first = 0; first < windows; first += at_once) {
    const std::int64_t count = std::min(at_once, windows - first);
    const CausalLogits attention(
        {qk.q.narrow(0, first, count), qk.k.narrow(0, first, count), qk.scale});
    if (wanted.logits) add_logits(attention, sums.heads);
    if (wanted.entropy || wanted.sink) add_softmax(attention, wanted, sums.heads);
  }
}

void add_queries_and_keys(const at::Tensor& q, const at::Tensor& k, AttentionSums& sums) {
  sums.q_squares += square_sum(q);
  sums.k_squares += square_sum(k);
  sums.entries += static_cast<double>(q.numel());
}

}  // namespace sweep
