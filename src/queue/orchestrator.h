#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "queue/ending.h"
#include "queue/executor.h"
#include "queue/speed_table.h"
#include "queue/stop_signals.h"
#include "queue/task.h"
#include "sweep/queue/queue.h"
#include "sweep/record/claim.h"

namespace sweep {

/// What an orchestrator works with; all of it outlives it.
struct Workplace {
  const SweepDir& sweep;
  const ExecutionConfig& execution;
  const QueueTiming& timing;
  Executor& executor;
  ProgressView& view;
  Claim& owner;
};

/// One single-threaded loop that carries a plan out. Knows runs, attempts and retries; of
/// processes, cores and memory only what the executor says.
class Orchestrator {
 public:
  /// Reads how far each run is.
  Orchestrator(const Workplace& workplace, const std::vector<RunSpec>& plan);

  /// Returns when every run is finished, failed or held elsewhere, or when told to stop.
  QueueSummary run();
  [[nodiscard]] RunCounts counts() const;

 private:
  enum class Stopping { kNo, kAtCheckpoint, kNow, kLeave };

  // Stopping (orchestrator.cpp).
  void obey_signals();
  void stop_workers(Stop how);
  void give_up(ExitCode code, const std::string& problem);
  [[nodiscard]] bool is_over() const;
  /// Errors of `action` end the session in good order: workers stop at checkpoints.
  template <typename Action>
  void guarded(Action action);
  void keep_claim(double now_s);

  // Starting runs (orchestrator.cpp).
  void start_ready(double now_s);
  bool has_room_for(const Task& task);
  bool is_free(Task& task, double now_s);
  void start(Task& task, double now_s);
  void wait_for_holder(Task& task, double now_s);
  void look_elsewhere(double now_s);

  // Ends of workers (settle.cpp).
  void collect(double now_s);
  void settle(ActiveWorker& worker, const WorkerEnd& end, double now_s);
  void note_failure(Task& task, const Ending& ending, const std::string& what, double now_s);
  void mark_finished(Task& task);
  void watch_workers(double now_s);

  // States: every change goes through `enter`, so that counting costs nothing.
  void enter(Task& task, Task::State state);
  std::size_t& count_of_state(const Task& task);

  // What is shown (orchestrator.cpp).
  void read_pace_of(ActiveWorker& worker);
  void show(double now_s);
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] std::optional<double> waiting_left_s() const;  ///< nullopt: unknown
  void say_once(const std::string& line);

  Workplace at_;
  std::vector<Task> tasks_;
  RunCounts counts_;
  std::size_t first_open_ = 0;  ///< all tasks before it are finished or failed
  std::optional<double> waiting_left_s_ = 0;
  double next_left_s_ = 0;
  std::vector<ActiveWorker> active_;
  SpeedTable speeds_;
  StopSignals signals_;
  Stopping stopping_ = Stopping::kNo;
  int interrupts_ = 0;
  QueueSummary summary_;
  std::set<std::string> said_;
  double next_renewal_s_ = 0;
  double next_look_elsewhere_s_ = 0;
  double next_pace_s_ = 0;
};

template <typename Action>
void Orchestrator::guarded(Action action) {
  try {
    action();
  } catch (const Error& e) {
    give_up(e.code(), e.what());
  }
}

}  // namespace sweep
