#include <algorithm>
#include <numeric>

#include "sweep/analysis/exact_tests.h"

namespace sweep {

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    const double shared = 0.5 * static_cast<double>(first + last) + 1;
    for (; first <= last; ++first) ranks[order[first]] = shared;
  }
  return ranks;
}

}  // namespace sweep
