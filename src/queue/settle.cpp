#include <algorithm>
#include <cmath>

#include "queue/orchestrator.h"
#include "queue/without_folder.h"
#include "sweep/base/files.h"
#include "sweep/base/machine.h"
#include "sweep/base/process.h"
#include "sweep/base/text.h"
#include "sweep/record/registration.h"

namespace sweep {
namespace {

constexpr double kLongestBackoffSeconds = 60;

std::string describe_end(const WorkerEnd& end, const std::string& cause) {
  return cause.empty() ? end.status : end.status + ", " + cause;
}

/// A worker that ends with an exit code of its own has said why in its last line.
std::string last_words(const RunDir& run, const WorkerEnd& end) {
  if (!end.exit_code || *end.exit_code == 0) return "";
  const auto lines = read_lines(run.worker_log());
  return lines.empty() ? "" : ": " + lines.back();
}

}  // namespace

void Orchestrator::collect(double now_s) {
  for (const WorkerEnd& end : at_.executor.reap()) {
    const auto worker = std::find_if(active_.begin(), active_.end(), [&](const ActiveWorker& a) {
      return a.task->dir.id() == end.run;
    });
    if (worker == active_.end()) continue;
    crash_point("queue.worker_ended");
    read_pace_of(*worker);
    guarded([&] { settle(*worker, end, now_s); });
    active_.erase(worker);
  }
}

void Orchestrator::settle(ActiveWorker& worker, const WorkerEnd& end, double now_s) {
  Task& task = *worker.task;
  const bool has_result = std::filesystem::exists(task.dir.result());
  const Ending ending =
      classify({end.exit_code, end.signal, end.out_of_memory, has_result, worker.watch.hung(),
                worker.asked_to_stop, task.step > worker.known_step});
  const std::string what = describe_end(end, ending.cause) + last_words(task.dir, end);
  enter(task, Task::State::kWaiting);
  switch (ending.next) {
    case Next::kDone:
      enter(task, Task::State::kFinished);
      break;
    case Next::kRetry:
    case Next::kGiveUp:
      note_failure(task, ending, what, now_s);
      break;
    case Next::kWaitForIt:
      wait_for_holder(task, now_s);
      break;
    case Next::kStopQueue:
      give_up(ExitCode::kResources,
              fmt::format("{}: {} ({} free on this disk)", task.dir.id(), what,
                          format_bytes(static_cast<double>(free_disk(at_.sweep.path)))));
      break;
    case Next::kCarryOn:
    case Next::kLeave:
      break;
  }
  worker.attempt.ended = utc_now();
  worker.attempt.end = ending.end;
  worker.attempt.status = end.status;
  worker.attempt.cause = ending.cause;
  worker.attempt.retry = task.state != Task::State::kFailed;
  append_attempt_end(task.dir, worker.attempt);
  if (ending.next == Next::kDone) mark_finished(task);
}

void Orchestrator::note_failure(Task& task, const Ending& ending, const std::string& what,
                                double now_s) {
  if (stopping_ != Stopping::kNo) return;  // left to the next session
  const std::int64_t allowed = at_.execution.max_retries;
  const bool again = ending.next == Next::kRetry && task.failures < allowed;
  const std::string id = task.dir.id();
  if (again) {
    task.not_before_s =
        now_s + std::min(kLongestBackoffSeconds, at_.timing.retry_backoff_s *
                                                     std::exp2(static_cast<double>(task.failures)));
    ++task.failures;
    at_.view.message(
        fmt::format("{}: {}; trying again (retry {} of {})", id, what, task.failures, allowed));
  } else {
    enter(task, Task::State::kFailed);
    at_.view.message(fmt::format("{} failed after {}: {}", id,
                                 count_of(static_cast<std::size_t>(task.attempts), "attempt"),
                                 what));
  }
  log_event(at_.sweep, again ? "retry" : "failed",
            {{"run", id}, {"attempt", task.attempts}, {"reason", without_folder(what, at_.sweep)}});
}

void Orchestrator::mark_finished(Task& task) {
  enter(task, Task::State::kFinished);
  at_.view.finished(task.dir.id(), progress());
  log_event(at_.sweep, "finished", {{"run", task.dir.id()}, {"attempt", task.attempts}});
}

void Orchestrator::watch_workers(double now_s) {
  for (ActiveWorker& worker : active_) {
    const std::string id = worker.task->dir.id();
    switch (worker.watch.look(now_s)) {
      case WorkerWatch::Verdict::kFine:
        break;
      case WorkerWatch::Verdict::kHung:
        at_.view.message(fmt::format("{}: no sign of life for {}; ending its worker", id,
                                     format_duration(at_.execution.hang_seconds)));
        at_.executor.stop(id, Stop::kAtCheckpoint);
        break;
      case WorkerWatch::Verdict::kObstinate:
        at_.executor.stop(id, Stop::kNow);
        break;
    }
  }
}

}  // namespace sweep
