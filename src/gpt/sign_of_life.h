#pragma once

#include <cstdint>

#include "sweep/base/files.h"
#include "sweep/record/claim.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// Shows that a worker lives and how fast it is: lines of timing.jsonl, whose growth the
/// orchestrator watches, and the renewed claim. The only place of a run that writes clock values.
class SignOfLife {
 public:
  /// Training begins now, at `step` of `max_iters`.
  SignOfLife(const RunDir& run, Claim& claim, std::int64_t step, std::int64_t max_iters,
             std::int64_t tokens_per_step);

  /// To be called often, also between the parts of long work; writes and renews when it is time.
  /// Throws `Error` when the claim has been taken over.
  void beat(std::int64_t step);

  /// Writes a line now.
  void write(std::int64_t step);

 private:
  LineWriter timing_;
  Claim& claim_;
  std::int64_t first_step_;
  std::int64_t max_iters_;
  std::int64_t tokens_per_step_;
  double training_since_s_;
  double attempt_since_s_;  ///< when the process was started
  double written_s_ = 0;
  double renewed_s_;
};

}  // namespace sweep
