#include <algorithm>
#include <map>

#include "sweep/analysis/exact_tests.h"

namespace sweep {
namespace {

constexpr double kMostEntries = 4e7;

using Sizes = std::vector<std::size_t>;

/// Twice the statistic: a tie counts one, a value that exceeds another counts two.
std::size_t twice_j(const std::vector<std::vector<double>>& groups) {
  std::size_t sum = 0;
  for (std::size_t later = 1; later < groups.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      for (const double x : groups[earlier]) {
        for (const double y : groups[later]) sum += y > x ? 2U : (y == x ? 1U : 0U);
      }
    }
  }
  return sum;
}

/// How many of the values seen so far, in ascending order, went to each group -> the number of ways
/// by twice the statistic among them.
using Table = std::map<Sizes, std::vector<double>>;

/// Hands out one class of equal values, group by group.
class TieClass {
 public:
  TieClass(std::size_t multiplicity, const Sizes& sizes, Table& next)
      : multiplicity_(multiplicity), sizes_(sizes), next_(next) {}

  void hand_out(const Sizes& filled, const std::vector<double>& ways) {
    filled_ = &filled;
    ways_ = &ways;
    given_.assign(sizes_.size(), 0);
    give(0, multiplicity_, 1);
  }

 private:
  void give(std::size_t group, std::size_t left, double factor) {
    if (group + 1 == sizes_.size()) {
      if (left > sizes_[group] - (*filled_)[group]) return;
      given_[group] = left;
      return put(factor);
    }
    double choices = 1;  // C(left, count): which of the equal values
    const std::size_t most = std::min(left, sizes_[group] - (*filled_)[group]);
    for (std::size_t count = 0; count <= most; ++count) {
      given_[group] = count;
      give(group + 1, left - count, factor * choices);
      choices *= static_cast<double>(left - count) / static_cast<double>(count + 1);
    }
  }

  void put(double factor) {
    Sizes filled = *filled_;
    std::size_t gain = 0;
    std::size_t lower = 0;  // values below, in earlier groups
    std::size_t equal = 0;
    for (std::size_t g = 0; g < filled.size(); ++g) {
      gain += given_[g] * (2 * lower + equal);
      lower += (*filled_)[g];
      equal += given_[g];
      filled[g] += given_[g];
    }
    auto& ways = next_[filled];
    if (ways.size() < ways_->size() + gain) ways.resize(ways_->size() + gain);
    for (std::size_t j = 0; j < ways_->size(); ++j) ways[j + gain] += factor * (*ways_)[j];
  }

  std::size_t multiplicity_;
  const Sizes& sizes_;
  Table& next_;
  const Sizes* filled_ = nullptr;
  const std::vector<double>* ways_ = nullptr;
  Sizes given_;
};

double table_entries(const Sizes& sizes) {
  double states = 1;
  double pairs = 0;
  double before = 0;
  for (const std::size_t size : sizes) {
    states *= static_cast<double>(size + 1);
    pairs += before * static_cast<double>(size);
    before += static_cast<double>(size);
  }
  return states * (2 * pairs + 1);
}

std::vector<double> ways_by_twice_j(const std::map<double, std::size_t>& multiplicities,
                                    const Sizes& sizes) {
  Table table{{Sizes(sizes.size(), 0), {1.0}}};
  for (const auto& [value, multiplicity] : multiplicities) {
    Table next;
    TieClass tie_class(multiplicity, sizes, next);
    for (const auto& [filled, ways] : table) tie_class.hand_out(filled, ways);
    table = std::move(next);
  }
  return table.begin()->second;
}

}  // namespace

Finding<ExactTest> jonckheere_terpstra(const std::vector<std::vector<double>>& groups,
                                       Trend trend) {
  std::vector<std::vector<double>> ordered;
  for (const auto& group : groups) {
    if (!group.empty()) ordered.push_back(group);
  }
  if (trend == Trend::kFalling) std::reverse(ordered.begin(), ordered.end());
  if (ordered.size() < 2) return Undefined{"fewer than two groups hold values", {}};
  Sizes sizes;
  std::map<double, std::size_t> multiplicities;
  ExactTest result;
  for (const auto& group : ordered) {
    sizes.push_back(group.size());
    result.n += group.size();
    for (const double value : group) ++multiplicities[value];
  }
  if (table_entries(sizes) > kMostEntries) return Undefined{"too many values to count", {}};
  const std::vector<double> ways = ways_by_twice_j(multiplicities, sizes);
  const std::size_t observed = twice_j(ordered);
  double total = 0;
  double tail = 0;
  for (std::size_t j = ways.size(); j-- > 0;) {
    total += ways[j];
    if (j == observed) tail = total;
  }
  result.statistic = 0.5 * static_cast<double>(observed);
  result.p = tail / total;
  result.minimum_p = ways.back() / total;
  return result;
}

}  // namespace sweep
