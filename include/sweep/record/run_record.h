#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sweep/prereg/run_spec.h"
#include "sweep/record/metrics.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// How a run ended, as a fact. That it "diverged" is a judgement, made in room analysis.
struct RunOutcome {
  enum class Kind { kCompleted, kNonfinite };
  Kind kind = Kind::kCompleted;
  std::int64_t step = 0;  ///< updates made; for kNonfinite the update in which it was seen
  std::string quantity;   ///< kNonfinite: train_loss | grad_norm | parameter | val_loss
  bool operator==(const RunOutcome&) const = default;
};

/// The content of result.json: written once, the only proof that a run is complete. Holds no clock
/// value, so that equal runs have equal bytes.
struct RunResult {
  std::string id;
  RunOutcome outcome;
  double initial_val_loss = 0;             ///< nats per token at step 0
  double final_val_loss = 0;               ///< at the last step; NaN when the run went non-finite
  std::optional<double> final_train_loss;  ///< of the last update
  std::int64_t clip_count = 0;             ///< updates whose gradient was clipped
  std::int64_t tokens_seen = 0;
  std::string config_hash;       ///< SHA-256 of config.json
  std::string metrics_hash;      ///< SHA-256 of metrics.jsonl
  std::string weights_hash;      ///< SHA-256 of final.safetensors
  std::string numeric_identity;  ///< fingerprint of `sweep-train --identity`
  /// What the runs of a pair must share; "" when the trainer did not say. SHA-256 of the initial
  /// weights that the model has without QK-norm, too, and of every window that the run trains on.
  std::string shared_init_hash;
  std::string batches_hash;
  bool operator==(const RunResult&) const = default;
};

Json to_json(const RunResult& result);
RunResult run_result_from_json(const Json& json);

/// What is known of one planned run.
struct RunRecord {
  RunSpec spec;
  std::optional<RunResult> result;  ///< nullopt: not complete
};

/// nullopt when there is no result yet; a damaged one throws.
std::optional<RunResult> read_result(const RunDir& run);

/// The frozen plan of plan.jsonl, in its order.
std::vector<RunSpec> read_registered_plan(const SweepDir& sweep);

/// The plan in force: the frozen one with all amendments.
std::vector<RunSpec> read_plan(const SweepDir& sweep);

/// The plan in force joined with the results that are there. Reads one small file per run.
std::vector<RunRecord> read_records(const SweepDir& sweep);

}  // namespace sweep
