#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/prereg/definitions.h"

namespace sweep {

/// Every run judged by the registered rules. Pure: the same curves can be judged again by others.
std::vector<Curve> judged(std::vector<Curve> curves, const Definitions& definitions);

/// Reference of `degraded` for a curve: lowest seed mean over complete cells of the same arm and
/// stratum, or of the stratum (all arms); nullopt while there is none that is finite.
std::optional<double> degraded_reference(const std::vector<Curve>& curves, const Curve& of,
                                         const std::string& scope);

/// How the runs of a cell ended.
struct CellCounts {
  std::size_t planned = 0;
  std::size_t finished = 0;
  std::size_t nonfinite = 0;
  std::size_t diverged = 0;
  std::size_t unusable = 0;
  bool operator==(const CellCounts&) const = default;
};
CellCounts counts_of(const Cell& cell);

}  // namespace sweep
