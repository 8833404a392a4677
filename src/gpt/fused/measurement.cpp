#include "gpt/fused/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gpt/fused/adamw.h"
#include "gpt/fused/row_moments.h"

namespace sweep {
namespace {

void add_tokens(const float* x, std::int64_t rows, std::int64_t width, const WantedSums& wanted,
                ActivationSums& sums) {
  const auto count = static_cast<double>(width);
  for (std::int64_t r = 0; r < rows; ++r) {
    const RowMoments row = row_moments(x + r * width, width);
    if (wanted.token_kurtosis) sums.see_token(row.squares / count, row.fourth_powers / count);
    if (wanted.tensor_moments) sums.moments.merge(row.about_mean);
    if (!wanted.squares) continue;
    sums.squares += row.squares;
    sums.entries += count;
  }
}

/// The largest sizes, descending; a NaN among them is the largest of all.
std::vector<double> top_of(const float* x, std::int64_t count) {
  std::array<float, ActivationSums::kTop> top{};
  for (std::int64_t i = 0; i < count; ++i) {
    const float size = std::abs(x[i]);
    if (size <= top.back()) continue;
    top.back() = std::isnan(size) ? std::numeric_limits<float>::infinity() : size;
    for (std::size_t k = top.size() - 1; k > 0 && top[k] > top[k - 1]; --k) {
      std::swap(top[k], top[k - 1]);
    }
  }
  const auto found = std::min<std::int64_t>(count, std::ssize(top));
  return {top.begin(), top.begin() + found};
}

void add_window(const float* x, std::int64_t count, ActivationSums& sums) {
  const std::vector<double> top = top_of(x, count);
  sums.see_window(std::log(top.front() / median_size(x, count)));
  sums.see_top(top);
}

/// Queries and keys before their norm, of `rows` tokens in qkv (rows, 3d).
void add_queries_and_keys(const float* qkv, std::int64_t rows, std::int64_t width,
                          AttentionSums& sums) {
  for (std::int64_t r = 0; r < rows; ++r) {
    sums.q_squares += square_sum(qkv + r * 3 * width, width);
    sums.k_squares += square_sum(qkv + r * 3 * width + width, width);
  }
  sums.entries += static_cast<double>(rows * width);
}

/// Goes through the activations of one chunk.
class Visitor {
 public:
  Visitor(const FusedPlan& plan, std::int64_t windows, const WantedSums& wanted)
      : plan_(plan), windows_(windows), wanted_(wanted), width_(plan.model.n_embd) {}

  void see_stream(const float* x, ActivationSums& sums) const {
    if (wanted_.token_kurtosis || wanted_.tensor_moments || wanted_.squares) {
      add_tokens(x, rows(), width_, wanted_, sums);
    }
    const std::int64_t size = plan_.model.block_size * width_;
    for (std::int64_t w = 0; wanted_.massive && w < windows_; ++w) {
      add_window(x + w * size, size, sums);
    }
  }

  void see_branch(const float* before, const float* behind, ActivationSums& sums) const {
    const WantedSums wanted = wanted_.of_branches();
    if (!wanted.activations()) return;
    float* const branch = plan_.scratch.branch;
    for (std::int64_t i = 0; i < rows() * width_; ++i) branch[i] = behind[i] - before[i];
    add_tokens(branch, rows(), width_, wanted, sums);
  }

  void see_queries_and_keys(const float* qkv, AttentionSums& sums) const {
    if (wanted_.qk_squares) add_queries_and_keys(qkv, rows(), width_, sums);
  }

 private:
  [[nodiscard]] std::int64_t rows() const { return windows_ * plan_.model.block_size; }

  const FusedPlan& plan_;
  std::int64_t windows_;
  const WantedSums& wanted_;
  std::int64_t width_;
};

}  // namespace

void add_attention(const FusedPlan& plan, const WantedSums& wanted, AttentionSums& sums) {
  const std::int64_t length = plan.model.block_size;
  const AttentionRows<float>& rows = plan.scratch.measured;
  sums.heads.resize(static_cast<std::size_t>(plan.model.n_head));
  for (std::int64_t h = 0; h < plan.model.n_head; ++h) {
    HeadSums& head = sums.heads[static_cast<std::size_t>(h)];
    head.entropy.resize(static_cast<std::size_t>(length));
    double first = 0;
    for (std::int64_t i = h * length; i < (h + 1) * length; ++i) {
      if (wanted.logits) head.see_largest(rows.max_logit[i], rows.max_abs_logit[i]);
      head.entropy[static_cast<std::size_t>(i - h * length)] += rows.entropy[i];
      first += rows.first[i];
    }
    head.sinks += is_sink(first / static_cast<double>(length)) ? 1 : 0;
  }
}

void add_activations(const FusedPlan& plan, std::int64_t windows, MechanismSums& sums) {
  const Visitor visitor(plan, windows, sums.wanted);
  for (std::size_t layer = 0; layer < plan.blocks.size(); ++layer) {
    const FusedBlock& block = plan.blocks[layer];
    const bool is_last = layer + 1 == plan.blocks.size();
    visitor.see_stream(block.x, sums.residual[layer]);
    visitor.see_queries_and_keys(block.qkv, sums.attention[layer]);
    visitor.see_branch(block.x, block.x_middle, sums.attention_out[layer]);
    visitor.see_branch(block.x_middle, is_last ? plan.x_last : plan.blocks[layer + 1].x,
                       sums.mlp_out[layer]);
  }
  visitor.see_stream(plan.x_last, sums.residual.back());
  sums.windows += static_cast<double>(windows);
}

}  // namespace sweep
