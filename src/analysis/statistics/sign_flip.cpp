#include <cmath>
#include <map>

#include "analysis/statistics/tally.h"
#include "sweep/analysis/exact_tests.h"

namespace sweep {
namespace {

constexpr std::size_t kMostSeeds = 24;

/// Depth first, so that each sum is the same whatever was summed before it.
void flip_from(std::size_t i, double sum, const std::vector<double>& terms, Tally& tally) {
  if (i == terms.size()) return tally.add(sum);
  flip_from(i + 1, sum + terms[i], terms, tally);
  flip_from(i + 1, sum - terms[i], terms, tally);
}

}  // namespace

Finding<ExactTest> sign_flip(std::span<const PairedDifference> differences,
                             Alternative alternative) {
  std::map<std::uint64_t, double> of_seed;
  for (const PairedDifference& pair : differences) of_seed[pair.seed] += pair.value;
  if (of_seed.empty()) return Undefined{"no pairs", {}};
  if (of_seed.size() > kMostSeeds) return Undefined{"more than 24 seeds to flip", {}};
  std::vector<double> terms;
  double observed = 0;
  double largest = 0;
  for (const auto& [seed, sum] : of_seed) {
    terms.push_back(sum / static_cast<double>(differences.size()));
    observed += terms.back();
    largest += std::abs(terms.back());
  }
  Tally tally(alternative, observed, {-largest, largest});
  flip_from(0, 0, terms, tally);
  return tally.result(terms.size());
}

}  // namespace sweep
