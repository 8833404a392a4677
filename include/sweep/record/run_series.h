#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sweep/record/run_record.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// What one run measured on its way, by kind, each in the order of steps. Values may be non-finite.
struct RunSeries {
  struct Evaluation {
    std::int64_t step = 0;  ///< updates made
    double val_loss = 0;    ///< nats per token on the fixed set
    bool operator==(const Evaluation&) const = default;
  };
  struct UpdateLine {
    std::int64_t step = 0;  ///< updates made, this one included
    double train_loss = 0;  ///< of its batch, before it
    double grad_norm = 0;   ///< global, before clipping; NaN where none was recorded
    bool operator==(const UpdateLine&) const = default;
  };
  struct Mechanism {
    std::int64_t step = 0;
    std::vector<std::pair<std::string, double>> values;  ///< name -> value
    bool operator==(const Mechanism&) const = default;
  };

  std::string id;
  std::vector<Evaluation> evaluations;
  std::vector<UpdateLine> updates;
  std::vector<Mechanism> mechanism;
  bool operator==(const RunSeries&) const = default;
};

/// Reads a run's metrics.jsonl; an absent file gives empty series. Throws `Error` naming file and
/// line for one that is damaged.
RunSeries read_series(const RunDir& run);

/// Those of the runs that have a result, in the order of `records`: what an unfinished run has
/// measured so far is nobody's to see.
std::vector<RunSeries> read_series(const SweepDir& sweep, const std::vector<RunRecord>& records);

/// nullptr when that run has none.
const RunSeries* find_series(const std::vector<RunSeries>& all, const std::string& id);

}  // namespace sweep
