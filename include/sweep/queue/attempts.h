#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/base/process.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// How an attempt at a run ended.
enum class AttemptEnd {
  kUnknown,       ///< no end was recorded: the attempt lives, or its orchestrator died first
  kFinished,      ///< result.json is there
  kCheckpointed,  ///< stopped at a checkpoint by itself; is carried on
  kStopped,       ///< stopped because the orchestrator was told to stop
  kElsewhere,     ///< another live worker held the run
  kFailed,        ///< infrastructure failure: crash, kill, bad input, full disk
  kHung,          ///< ended by the orchestrator after no sign of life
};

std::string_view to_string(AttemptEnd end);

/// One attempt at a run, as attempts.jsonl has it.
struct Attempt {
  std::int64_t number = 0;  ///< from 1
  std::string host;
  std::int64_t pid = 0;
  std::string started;  ///< UTC
  std::string ended;    ///< UTC; "" with kUnknown
  AttemptEnd end = AttemptEnd::kUnknown;
  std::string status;  ///< "exit 75", "signal 9 (Killed)"
  std::string cause;   ///< more than the status says, such as "out of memory"; often ""
  bool retry = true;   ///< false: this failure was the last that was allowed
  bool operator==(const Attempt&) const = default;
};

/// All attempts in their order; a missing file has none. Damaged lines are left out: the journal is
/// a record for people, results do not depend on it.
std::vector<Attempt> read_attempts(const RunDir& run);

/// One line at the start and one at the end, so that an orchestrator that is killed leaves a trace.
void append_attempt_start(const RunDir& run, const Attempt& attempt);
void append_attempt_end(const RunDir& run, const Attempt& attempt);

}  // namespace sweep
