#pragma once

#include <vector>

#include "prereg/diagnostics.h"
#include "prereg/yaml.h"
#include "sweep/prereg/config.h"

namespace sweep {

/// The levels of one line of the grid, distinct; numbers ascending. Forms: a list of values,
/// {from, to, per_decade: [1, 1.7, 3, 5.5]} (mantissas; both ends must be levels), and
/// {from, to, points} (log-spaced, rounded to three significant digits). Every level is exactly the
/// double of the decimal that a person would type.
std::vector<Value> read_levels(const Field& field, const YamlNode& node, Diagnostics& out);

}  // namespace sweep
