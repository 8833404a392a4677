#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/cells.h"
#include "sweep/analysis/finding.h"
#include "sweep/prereg/definitions.h"
#include "sweep/record/run_series.h"

namespace sweep {

/// A bound beyond which a source saw trouble (docs/definitions.md, "Thresholds of the mechanism").
struct MechanismThreshold {
  std::string name;            ///< "max logit > 1e3"
  std::string quantity;        ///< its value's name in metrics.jsonl
  double bound = 0;            ///< passed above it
  bool share_of_most = false;  ///< passed below `bound` times ln(T!)/T
  std::string meaning;         ///< what the source says of it
  std::string source;
};
std::span<const MechanismThreshold> mechanism_thresholds();

/// The value at which runs of this context length T pass.
double level_of(const MechanismThreshold& threshold, std::int64_t block_size);

/// Whether a value has passed; one that is not finite has.
bool has_passed(const MechanismThreshold& threshold, double value, std::int64_t block_size);

/// An event that was first seen at `step` and not yet at `not_before`, the measurement before it
/// (nullopt: there was none): it fell into (not_before, step].
struct Onset {
  std::int64_t step = 0;
  std::optional<std::int64_t> not_before;
  bool operator==(const Onset&) const = default;
};

/// First registered step at which the run had passed; nullopt when at none.
std::optional<Onset> passage(const MechanismThreshold& threshold, const RunSeries& series,
                             std::int64_t block_size);

/// Validation loss by step that a run is held against.
using ReferenceLosses = std::vector<std::pair<std::int64_t, double>>;

/// At each step the lowest seed mean among the curve's complete cells without an unusable run;
/// empty when there is no such cell.
ReferenceLosses reference_losses(const Curve& curve, std::span<const RunSeries> series);

/// First evaluation from which on, to the last, the run's validation loss is above the reference by
/// more than `by`. A loss that is not finite is.
std::optional<Onset> loss_onset(const RunSeries& series, const ReferenceLosses& reference,
                                double by);

/// Which came first, as far as the measured steps tell: events in (a, b] and (c, d] are ordered
/// when b <= c or d <= a.
enum class Order { kBefore, kAfter, kUndecided };
Order order_of(const Onset& first, const Onset& second);

/// Over the seeds of a cell; values may be infinite.
struct SeedRange {
  std::size_t n = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  bool operator==(const SeedRange&) const = default;
};
/// nullopt without values.
std::optional<SeedRange> seed_range(std::vector<double> values);

/// What was measured inside one finished run.
struct RunMechanism {
  std::string id;
  std::uint64_t seed = 0;
  std::vector<RunSeries::Mechanism> steps;     ///< values over all layers, and extremes
  std::vector<std::optional<Onset>> passages;  ///< by threshold
  std::optional<Onset> loss;                   ///< of being worse than the reference
  std::optional<bool> unusable;
};

struct CellMechanism {
  double x = 0;
  std::int64_t block_size = 0;
  std::vector<RunMechanism> runs;    ///< by seed
  std::vector<std::string> missing;  ///< ids of the runs without a result
};

/// Lowest level at which one seed (every seed) passed at some registered step; nullopt inside: at
/// none. Undefined when a missing run could lower it.
struct Crossing {
  Finding<std::optional<double>> any_seed;
  Finding<std::optional<double>> every_seed;
};

/// How passing goes together with being unusable at the end, in runs.
struct PassageCounts {
  std::size_t before = 0;     ///< unusable, passed before the loss was worse
  std::size_t undecided = 0;  ///< unusable, passed, order not resolved by the measured steps
  std::size_t after = 0;      ///< unusable, passed after the loss was worse
  std::size_t without = 0;    ///< unusable, never seen to pass
  std::size_t harmless = 0;   ///< passed and usable
  std::size_t neither = 0;
  bool operator==(const PassageCounts&) const = default;
};

struct CurveMechanism {
  std::string arm;
  Stratum stratum;
  std::vector<CellMechanism> cells;     ///< x ascending
  std::vector<Crossing> crossings;      ///< by threshold
  std::vector<PassageCounts> passages;  ///< by threshold
};

/// Everything that is shown of the mechanism; without curves when nothing was measured.
struct MechanismAnalysis {
  std::vector<std::string> names;              ///< of values, in the order recorded
  std::int64_t last_step = 0;                  ///< the last that was measured in any run
  double worse_by = 0;                         ///< nats: delta of the loss's onset
  std::vector<MechanismThreshold> thresholds;  ///< those whose quantity was measured
  std::vector<CurveMechanism> curves;          ///< as the curves they belong to
};

/// `curves` are judged. `series` holds the finished runs' own.
MechanismAnalysis analyse_mechanism(const std::vector<Curve>& curves,
                                    const std::vector<RunRecord>& records,
                                    std::span<const RunSeries> series,
                                    const Definitions& definitions);

/// The value of that name at that step; nullopt when it was not measured there.
std::optional<double> value_at(const RunMechanism& run, std::int64_t step, const std::string& name);

/// Over the seeds of the cell, at that step.
std::optional<SeedRange> range_at(const CellMechanism& cell, std::int64_t step,
                                  const std::string& name);

}  // namespace sweep
