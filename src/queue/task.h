#pragma once

#include <cstdint>
#include <optional>

#include "queue/worker_watch.h"
#include "sweep/prereg/run_spec.h"
#include "sweep/queue/attempts.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A planned run as the orchestrator sees it.
struct Task {
  enum class State { kWaiting, kRunning, kFinished, kFailed, kElsewhere };

  const RunSpec* spec = nullptr;
  RunDir dir;
  State state = State::kWaiting;
  std::int64_t attempts = 0;           ///< ever started
  std::int64_t step = 0;               ///< last one heard of
  std::int64_t failures = 0;           ///< in this session
  double not_before_s = 0;             ///< monotonic time of the next try
  std::optional<double> held_since_s;  ///< when somebody else was first seen to hold it
};

/// A worker of ours.
struct ActiveWorker {
  Task* task;
  Attempt attempt;
  WorkerWatch watch;
  std::int64_t known_step;  ///< when it was started: going beyond is progress
  std::optional<double> tokens_per_s;
  bool asked_to_stop = false;
};

}  // namespace sweep
