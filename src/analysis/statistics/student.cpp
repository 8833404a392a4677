#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sweep/analysis/estimates.h"

namespace sweep {
namespace {

using StudentsT = boost::math::students_t_distribution<double>;

StudentsT student(std::size_t n) { return StudentsT(static_cast<double>(n - 1)); }

double root(std::size_t n) { return std::sqrt(static_cast<double>(n)); }

}  // namespace

double t_half_width(double sd, std::size_t n, double confidence) {
  return boost::math::quantile(complement(student(n), (1 - confidence) / 2)) * sd / root(n);
}

double Tost::sd_needed(double alpha) const {
  const double room = std::min(mean - margins.low, margins.high - mean);
  return std::max(0.0, room) * root(n) / boost::math::quantile(complement(student(n), alpha));
}

Finding<Tost> tost(std::span<const double> differences, Margins margins) {
  if (!(margins.low < margins.high)) return Undefined{"the margins leave no room", {}};
  if (differences.size() < 2) return Undefined{"a t test needs at least two differences", {}};
  const Spread spread = spread_of(differences);
  if (spread.min == spread.max) return Undefined{"the differences do not vary", {}};
  const double se = *spread.sd / root(spread.n);
  Tost result{spread.n, spread.mean, *spread.sd, margins, 1, 1};
  const StudentsT t = student(spread.n);
  result.p_low = boost::math::cdf(complement(t, (spread.mean - margins.low) / se));
  result.p_high = boost::math::cdf(t, (spread.mean - margins.high) / se);
  return result;
}

}  // namespace sweep
