#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sweep {

/// Why there is no value, in words that can stand in a table.
struct Undefined {
  std::string reason;             ///< "1 run is missing"
  std::vector<std::string> runs;  ///< ids of the runs that are to blame; may be empty
  bool operator==(const Undefined&) const = default;
};

/// A measured value, or why there is none. Never NaN, never zero for "unknown".
template <typename T>
using Finding = std::variant<T, Undefined>;

/// nullptr when the finding is undefined.
template <typename T>
const T* value_of(const Finding<T>& finding) {
  return std::get_if<T>(&finding);
}

/// n values of one kind, one per seed.
struct Spread {
  std::size_t n = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
  std::optional<double> sd;  ///< divisor n - 1; nullopt for one value
  bool operator==(const Spread&) const = default;
};

/// Needs at least one value.
Spread spread_of(std::span<const double> values);

}  // namespace sweep
