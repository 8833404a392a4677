#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sweep/analysis/exact_tests.h"

namespace sweep {
namespace {

constexpr std::size_t kMostPositions = 14;

/// Probability of each value of twice a statistic. Mid-ranks are halves, so twice them are whole.
using Distribution = std::vector<double>;

using TwiceRanks = std::vector<std::size_t>;

TwiceRanks twice_ranks(const PageBlock& block, Trend trend) {
  std::vector<double> values;
  for (const auto& value : block.values) values.push_back(*value);
  if (trend == Trend::kFalling) std::reverse(values.begin(), values.end());
  TwiceRanks twice;
  for (const double rank : mid_ranks(values)) {
    twice.push_back(static_cast<std::size_t>(std::lround(2 * rank)));
  }
  return twice;
}

std::size_t twice_l(const TwiceRanks& ranks) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += (i + 1) * ranks[i];
  return sum;
}

std::size_t largest_twice_l(TwiceRanks ranks) {
  std::sort(ranks.begin(), ranks.end());
  return twice_l(ranks);
}

/// Of one block, every order equally likely: fills position after position, and tells apart only
/// which ranks are used and what they sum to.
Distribution distribution_of(const TwiceRanks& ranks) {
  const std::size_t k = ranks.size();
  const std::size_t width = largest_twice_l(ranks) + 1;
  std::vector<Distribution> of_used(std::size_t{1} << k);
  of_used[0] = Distribution(width, 0.0);
  of_used[0][0] = 1;
  for (std::size_t used = 0; used < of_used.size(); ++used) {
    const auto position = static_cast<std::size_t>(std::popcount(used)) + 1;
    const double chance = 1 / static_cast<double>(k - position + 1);
    for (std::size_t i = 0; i < k; ++i) {
      if ((used >> i & 1U) != 0) continue;
      Distribution& next = of_used[used | std::size_t{1} << i];
      next.resize(width);
      const std::size_t step = position * ranks[i];
      for (std::size_t sum = 0; sum + step < width; ++sum) {
        next[sum + step] += chance * of_used[used][sum];
      }
    }
    if (used + 1 < of_used.size()) Distribution().swap(of_used[used]);
  }
  return of_used.back();
}

Distribution convolved(const Distribution& a, const Distribution& b) {
  Distribution sum(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

/// Smallest terms first.
double upper_tail(const Distribution& distribution, std::size_t from) {
  double p = 0;
  for (std::size_t i = distribution.size(); i-- > from;) p += distribution[i];
  return std::min(p, 1.0);
}

std::size_t unrankable(const PageBlock& block) {
  return static_cast<std::size_t>(
      std::count_if(block.values.begin(), block.values.end(),
                    [](const auto& value) { return !value || std::isnan(*value); }));
}

}  // namespace

Finding<PageL> page_l(std::span<const PageBlock> blocks, Trend trend) {
  if (blocks.empty()) return Undefined{"no blocks", {}};
  PageL result;
  result.positions = blocks.front().values.size();
  if (result.positions < 2) return Undefined{"a trend needs at least two positions", {}};
  if (result.positions > kMostPositions) return Undefined{"more than 14 positions to rank", {}};
  Distribution distribution{1};
  std::size_t observed = 0;
  for (const PageBlock& block : blocks) {
    if (block.values.size() != result.positions) return Undefined{"blocks of unequal length", {}};
    if (const std::size_t bad = unrankable(block); bad > 0) {
      result.dropped.push_back(
          {block.seed, fmt::format("{} of {} values cannot be ranked", bad, result.positions)});
      continue;
    }
    const TwiceRanks ranks = twice_ranks(block, trend);
    observed += twice_l(ranks);
    distribution = convolved(distribution, distribution_of(ranks));
    ++result.n;
  }
  if (result.n == 0) return Undefined{"every block holds a value that cannot be ranked", {}};
  result.statistic = 0.5 * static_cast<double>(observed);
  result.p = upper_tail(distribution, observed);
  result.minimum_p = distribution.back();
  return result;
}

}  // namespace sweep
