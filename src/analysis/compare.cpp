#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/base/text.h"

namespace sweep {
namespace {

/// Equal but for the last digits of a sum: rounding decides neither a tie nor a limit.
bool same(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool same(const Interval& a, const Interval& b) {
  return same(a.low, b.low) && same(a.high, b.high);
}

bool is_point(const Interval& value) { return value.low == value.high; }

/// Why two values that are known do not say which is larger.
Compared not_told_apart(const Measured& a, const Measured& b, const Analysis& analysis) {
  const Interval& left = *a.value;
  const Interval& right = *b.value;
  if (std::isinf(left.high) && std::isinf(right.high)) {
    if (!a.settle.empty()) {
      return {std::nullopt, fmt::format("both are censored ({}, {})", a.shown, b.shown), a.settle};
    }
    return {
        std::nullopt, fmt::format("both are censored at the grid's top ({}, {})", a.shown, b.shown),
        fmt::format("extend the grid to {}",
                    level_text(analysis.axis, next_half_decade(std::max(left.low, right.low))))};
  }
  if (same(left, right) && is_point(left)) return {std::nullopt, "a tie: both are " + a.shown, ""};
  return {std::nullopt, fmt::format("a tie at the grid's resolution: {} and {}", a.shown, b.shown),
          fmt::format("levels between {} and {}",
                      level_text(analysis.axis, std::min(left.low, right.low)),
                      level_text(analysis.axis, std::min(left.high, right.high)))};
}

const Measured* first_unknown(const Measured& a, const Measured& b) {
  if (!a.value) return &a;
  return b.value ? nullptr : &b;
}

Truth at_least(const Interval& value, double limit) {
  if (value.low >= limit || same(value.low, limit)) return true;
  if (value.high < limit || (!is_point(value) && value.high == limit)) return false;
  return std::nullopt;
}

Truth at_most(const Interval& value, double limit) {
  if (value.high <= limit || same(value.high, limit)) return true;
  if (value.low > limit) return false;
  return std::nullopt;
}

double quotient(double a, double b) {
  if (b == 0) return std::numeric_limits<double>::infinity();
  return std::isinf(b) ? 0 : a / b;
}

}  // namespace

Compared ordered(const Measured& a, const Measured& b, bool above, const Analysis& analysis) {
  if (const Measured* why = first_unknown(a, b)) return {std::nullopt, why->unknown, why->settle};
  if (same(*a.value, *b.value)) return not_told_apart(a, b, analysis);
  if (a.value->low >= b.value->high) return {above, "", ""};
  if (a.value->high <= b.value->low) return {!above, "", ""};
  return not_told_apart(a, b, analysis);
}

Compared within(const Measured& value, const Limits& limits) {
  if (!value.value) return {std::nullopt, value.unknown, value.settle};
  Truth truth = true;
  if (limits.at_least) truth = kleene_and(truth, at_least(*value.value, *limits.at_least));
  if (limits.at_most) truth = kleene_and(truth, at_most(*value.value, *limits.at_most));
  if (truth) return {truth, "", ""};
  return {truth, fmt::format("{} does not tell which side of the limit it is on", value.shown),
          !value.settle.empty()           ? value.settle
          : std::isinf(value.value->high) ? "a grid that reaches higher"
                                          : "a denser grid"};
}

Measured ratio(const Measured& last, const Measured& first, const Analysis& analysis) {
  Measured result;
  result.shown = fmt::format("{} over {}", last.shown, first.shown);
  result.runs = last.runs;
  result.runs.insert(result.runs.end(), first.runs.begin(), first.runs.end());
  if (const Measured* why = first_unknown(last, first)) {
    result.unknown = why->unknown;
    result.settle = why->settle;
    return result;
  }
  if (std::isinf(last.value->high) && std::isinf(first.value->high)) {
    const Compared tie = not_told_apart(last, first, analysis);
    result.unknown = tie.unknown;
    result.settle = tie.settle;
    return result;
  }
  result.value = Interval{quotient(last.value->low, first.value->high),
                          quotient(last.value->high, first.value->low)};
  const bool open_below = last.value->low == 0 || first.value->low == 0;
  if (open_below) result.settle = "a grid that reaches lower";
  if (is_point(*result.value))
    result.shown += " = " + format_number(std::round(result.value->low * 1000) / 1000);
  return result;
}

}  // namespace sweep
