#include <algorithm>
#include <numeric>

#include "analysis/statistics/tally.h"
#include "sweep/analysis/exact_tests.h"

namespace sweep {
namespace {

constexpr double kMostAssignments = 1 << 24;

double binomial_coefficient(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return result;
}

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Both sums are carried along: a difference from a total would round differently.
class Assignments {
 public:
  Assignments(std::span<const double> a, std::span<const double> b)
      : size_a_(a.size()), size_b_(b.size()), values_(a.begin(), a.end()) {
    values_.insert(values_.end(), b.begin(), b.end());
  }

  [[nodiscard]] double statistic(double sum_a, double sum_b) const {
    return sum_a / static_cast<double>(size_a_) - sum_b / static_cast<double>(size_b_);
  }

  [[nodiscard]] Tally::Range range() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::span<const double> all(sorted);
    return {statistic(sum_of(all.first(size_a_)), sum_of(all.last(size_b_))),
            statistic(sum_of(all.last(size_a_)), sum_of(all.first(size_b_)))};
  }

  void add_all(Tally& tally, std::size_t in_a = 0, std::size_t in_b = 0, double sum_a = 0,
               double sum_b = 0) const {
    const std::size_t i = in_a + in_b;
    if (i == values_.size()) return tally.add(statistic(sum_a, sum_b));
    if (in_a < size_a_) add_all(tally, in_a + 1, in_b, sum_a + values_[i], sum_b);
    if (in_b < size_b_) add_all(tally, in_a, in_b + 1, sum_a, sum_b + values_[i]);
  }

 private:
  std::size_t size_a_;
  std::size_t size_b_;
  std::vector<double> values_;
};

}  // namespace

Finding<ExactTest> permutation_test(std::span<const double> a, std::span<const double> b,
                                    Alternative alternative) {
  if (a.empty() || b.empty()) return Undefined{"a sample is empty", {}};
  const std::size_t n = a.size() + b.size();
  if (binomial_coefficient(n, std::min(a.size(), b.size())) > kMostAssignments) {
    return Undefined{"more than 2^24 assignments to count", {}};
  }
  const Assignments assignments(a, b);
  Tally tally(alternative, assignments.statistic(sum_of(a), sum_of(b)), assignments.range());
  assignments.add_all(tally);
  return tally.result(n);
}

}  // namespace sweep
