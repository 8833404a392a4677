#include "sweep/analysis/finding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sweep {

Spread spread_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  Spread spread{values.size(), mean, *min, *max, std::nullopt};
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  spread.sd = std::sqrt(squares / (n - 1));
  return spread;
}

}  // namespace sweep
