#include "gpt/mechanism_sums.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSink = 0.3;
/// Below it a token's mean square is taken as this: an all-zero token has no shape.
constexpr double kSmallestMeanSquare = 1e-8;

/// Infinity for what is not finite: it has left every bound.
double finite_or_infinite(double x) { return std::isfinite(x) ? x : kInfinity; }

}  // namespace

bool is_sink(double mean_attention_to_first) { return mean_attention_to_first > kSink; }

void HeadSums::see_largest(double logit, double abs_logit) {
  max_logit = std::max(max_logit, finite_or_infinite(logit));
  max_abs_logit = std::max(max_abs_logit, finite_or_infinite(abs_logit));
}

void CentralMoments::merge(const CentralMoments& b) {
  const double both = n + b.n;
  const double d = b.mean - mean;
  const double e = d / both;
  m4 += b.m4 + d * e * e * e * n * b.n * (n * n - n * b.n + b.n * b.n) +
        6 * e * e * (n * n * b.m2 + b.n * b.n * m2) + 4 * e * (n * b.m3 - b.n * m3);
  m3 += b.m3 + d * e * e * n * b.n * (n - b.n) + 3 * e * (n * b.m2 - b.n * m2);
  m2 += b.m2 + d * e * n * b.n;
  mean += e * b.n;
  n = both;
}

void ActivationSums::see_token(double mean_square, double mean_fourth_power) {
  const double square = mean_square < kSmallestMeanSquare ? kSmallestMeanSquare : mean_square;
  token_kurtosis += mean_fourth_power / (square * square);
  ++tokens;
}

void ActivationSums::see_window(double log_of_max_over_median) {
  massive = std::max(massive, finite_or_infinite(log_of_max_over_median));
}

void ActivationSums::see_top(const std::vector<double>& sizes) {
  for (const double size : sizes) top.push_back(finite_or_infinite(size));
  std::sort(top.begin(), top.end(), std::greater<>());
  top.resize(std::min(kTop, top.size()));
}

void UpdateSums::add(const UpdateSums& more) {
  squares += more.squares;
  n += more.n;
}

double UpdateSums::rms() const { return std::sqrt(squares / n); }

MechanismSums::MechanismSums(WantedSums needed, std::size_t layers)
    : wanted(needed),
      attention(layers),
      residual(layers + 1),
      attention_out(layers),
      mlp_out(layers) {}

}  // namespace sweep
