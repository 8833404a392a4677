#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/run_spec.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// One attempt at a run, to be carried out by a worker.
struct WorkOrder {
  RunDir run;
  const RunSpec* spec = nullptr;
  std::int64_t attempt = 1;
  double checkpoint_s = 60;
};

struct StartedWorker {
  std::string host;
  std::int64_t pid = 0;
  std::string notice;  ///< something a person should know, mostly ""
};

/// How a worker ended.
struct WorkerEnd {
  std::string run;
  std::optional<int> exit_code;  ///< nullopt: ended by a signal
  int signal = 0;
  std::string status;          ///< "exit 75", "signal 9 (Killed)"
  bool out_of_memory = false;  ///< the system ran out of memory while it worked
};

enum class Stop { kAtCheckpoint, kNow };

/// Where workers run. Another kind of place is another implementation, which must pass
/// tests/queue/executor_test.cpp; the orchestrator knows only this.
class Executor {
 public:
  virtual ~Executor() = default;

  enum class Room { kFree, kBusy, kNoMemory };
  /// Whether a worker for `spec` may start now.
  virtual Room room_for(const RunSpec& spec) = 0;
  /// What kNoMemory means in numbers, for people.
  [[nodiscard]] virtual std::string memory_shortage(const RunSpec& spec) const = 0;

  /// Throws `Error` (`kResources`) when the worker cannot be started.
  virtual StartedWorker start(const WorkOrder& order) = 0;
  /// The workers that ended since the last call, each once.
  virtual std::vector<WorkerEnd> reap() = 0;
  /// Asks the worker of a run to stop; nothing happens when it has ended.
  virtual void stop(const std::string& run, Stop how) = 0;

  /// Returns when a worker ends, `wake_fd` is readable, or `seconds` have passed.
  virtual void wait(int wake_fd, double seconds) = 0;
};

}  // namespace sweep
