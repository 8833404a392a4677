#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gpt/safetensors.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// How far a run is, besides its tensors.
struct Progress {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::int64_t step = 0;            ///< updates made
  std::int64_t clip_count = 0;      ///< updates whose gradient was clipped
  std::uint64_t metrics_bytes = 0;  ///< length of metrics.jsonl at this step
  double initial_val_loss = kNone;
  double val_loss = kNone;    ///< of the last evaluation
  double train_loss = kNone;  ///< of the last update
};

struct Checkpoint {
  Progress progress;
  Safetensors tensors;
};

/// The two checkpoints of a run, written in turn, so that a damaged one falls back to the other.
class CheckpointPair {
 public:
  /// A checkpoint counts only for the same config and the same numeric identity: a run that was
  /// half trained with other bits starts over instead.
  CheckpointPair(RunDir run, std::string config_hash, std::string numeric_identity);

  /// Those that are whole, newest first. A line in `notes` says of each other one why it is not
  /// used.
  std::vector<Checkpoint> load(std::vector<std::string>& notes);

  /// Publishes atomically, in place of the older one (or of one that was not whole).
  void save(const Progress& progress, std::span<const TensorBytes> tensors);

  /// After the result has been published.
  static void remove(const RunDir& run);

 private:
  Checkpoint load_one(const std::filesystem::path& file) const;

  RunDir run_;
  std::string config_hash_;
  std::string numeric_identity_;
  bool next_is_b_ = false;
};

}  // namespace sweep
