#pragma once

#include <cstddef>
#include <optional>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"

namespace sweep {

/// Mean final loss over the seeds, +infinity when one went non-finite; nullopt while a run is
/// missing (the cell is not complete).
std::optional<double> seed_mean(const Cell& cell);

/// The cell with the lowest seed mean among complete cells, ties to the lower x (science: the
/// arm's best learning rate); nullopt when no cell is complete.
struct BestCell {
  std::size_t index = 0;  ///< into `Curve::cells`
  double x = 0;
  double mean = 0;  ///< +infinity when every complete cell holds a non-finite run
  bool operator==(const BestCell&) const = default;
};
std::optional<BestCell> best_cell(const Curve& curve);

/// Mean, extremes and deviation of the final loss over the seeds that finished; undefined when one
/// went non-finite (an average over the survivors would flatter the cell) or none finished.
Finding<Spread> final_loss_of(const Cell& cell);

/// exp(mean loss): the geometric mean of the runs' perplexities.
double perplexity(double mean_loss);

/// Loss in nats per token as bits per character of the held-out text.
double bits_per_character(double loss, double chars_per_token);

}  // namespace sweep
