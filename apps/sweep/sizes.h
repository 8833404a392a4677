#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"
#include "trainer.h"

namespace sweep {

/// Runs that cost the same: equal but for seed, learning rate and what else leaves time alone.
struct Size {
  RunSpec example;
  std::size_t runs = 0;
  ParameterCounts parameters;
  std::optional<Probe> probe;
};

/// In the plan's order.
std::vector<Size> sizes_of(const std::vector<RunSpec>& plan);

/// The levels that tell this size from others: all of a run's but the axis, whose levels share it.
std::string describe(const Size& size, const Roles& roles);

}  // namespace sweep
