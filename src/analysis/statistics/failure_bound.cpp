#include <boost/math/distributions/beta.hpp>

#include "sweep/analysis/estimates.h"

namespace sweep {

double failure_upper_bound(std::size_t failures, std::size_t n, double confidence) {
  if (failures >= n) return 1;
  const boost::math::beta_distribution<double> beta(static_cast<double>(failures + 1),
                                                    static_cast<double>(n - failures));
  return boost::math::quantile(beta, confidence);
}

}  // namespace sweep
