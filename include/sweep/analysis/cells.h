#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/finding.h"
#include "sweep/analysis/status.h"
#include "sweep/data/corpus.h"
#include "sweep/prereg/prereg.h"
#include "sweep/record/floors.h"
#include "sweep/record/run_record.h"
#include "sweep/record/run_series.h"

namespace sweep {

/// The levels of every factor that is neither axis nor replicate, e.g. n_layer 2. No levels: the
/// sweep has one stratum.
struct Stratum {
  std::vector<Level> levels;
  bool operator==(const Stratum&) const = default;
};

/// "n_layer 2", "n_layer 2, n_embd 64"; "" for the only stratum.
std::string to_words(const Stratum& stratum);

/// A level of the axis as a person would type it: 3e-2 for a learning rate.
std::string level_text(const std::string& axis, double x);

/// The level itself (2), an object factor -> level when there are several, null for none.
Json to_json(const Stratum& stratum);

/// What one finished run measured, in nats per token on the fixed validation set.
struct RunLosses {
  std::optional<double> initial_loss;  ///< at step 0; nullopt: not finite
  std::optional<double> final_loss;    ///< after the last update; nullopt: the run went non-finite
  bool operator==(const RunLosses&) const = default;
};

/// The stratum that a run belongs to.
Stratum stratum_of(const RunSpec& spec, const Roles& roles);

/// One evaluation on the fixed set.
struct EvalPoint {
  std::int64_t step = 0;       ///< updates made
  std::optional<double> loss;  ///< nats per token; nullopt: not finite
  bool operator==(const EvalPoint&) const = default;
};

/// The evaluations of finished runs, by run id, steps ascending.
using EvalTable = std::map<std::string, std::vector<EvalPoint>>;
EvalTable evals_of(const std::vector<RunSeries>& series);

/// One planned run in its cell.
struct CellRun {
  std::string id;
  std::uint64_t seed = 0;
  std::optional<RunLosses> losses;  ///< nullopt: no result
  std::vector<EvalPoint> evals;     ///< empty while the run is missing
  Judgement judgement;              ///< by `judged`
  bool operator==(const CellRun&) const = default;
};

/// The runs that differ in nothing but their seed.
struct Cell {
  double x = 0;         ///< level of the axis: the peak learning rate
  CorpusFloors floors;  ///< nats per token, on the tokens that these runs were evaluated on
  double chars_per_token = 1;
  std::int64_t horizon = 0;   ///< updates of a whole run
  std::vector<CellRun> runs;  ///< by seed
  bool operator==(const Cell&) const = default;
};

/// What one arm does along the axis within one stratum.
struct Curve {
  std::string arm;
  Stratum stratum;
  std::vector<Cell> cells;  ///< x ascending, at least one
  bool operator==(const Curve&) const = default;
};

/// Groups the runs of block "main": strata in the plan's order (ascending where levels are
/// numbers), within each the arms in registered order. Throws `Error` (`kBadInput`) when the axis
/// is not a number.
std::vector<Curve> group(const Prereg& prereg, const std::vector<RunRecord>& records,
                         const FloorTable& floors, const EvalTable& evals = {});

/// The seeds of a curve, ascending.
std::vector<std::uint64_t> seeds_of(const Curve& curve);

/// nullptr when nothing was planned at that level.
const Cell* find_cell(const Curve& curve, double x);

/// nullptr when no such run was planned.
const CellRun* find_run(const Cell& cell, std::uint64_t seed);

/// Ids of the runs without a result.
std::vector<std::string> missing_runs(const Cell& cell);

}  // namespace sweep
