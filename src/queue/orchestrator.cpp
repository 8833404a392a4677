#include "queue/orchestrator.h"

#include <algorithm>
#include <csignal>
#include <system_error>

#include "queue/pace.h"
#include "sweep/base/files.h"
#include "sweep/base/process.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr double kTickSeconds = 0.2;
constexpr double kRenewalSeconds = 5;
constexpr double kPaceSeconds = 1;
constexpr double kHolderPollSeconds = 0.2;
constexpr double kSilentWaitSeconds = 2;
constexpr double kElsewherePollSeconds = 5;

Task read_task(const RunSpec& spec, const SweepDir& sweep, SpeedTable& speeds) {
  Task task;
  task.spec = &spec;
  task.dir = sweep.run(spec.id);
  if (!fs::exists(task.dir.path)) return task;
  if (fs::exists(task.dir.result())) {
    task.state = Task::State::kFinished;
    learn_speed(speeds, spec, task.dir);
    return task;
  }
  const auto attempts = read_attempts(task.dir);
  if (!attempts.empty()) task.attempts = attempts.back().number;
  if (const auto pace = read_pace(task.dir.timing(), tokens_per_step(spec))) task.step = pace->step;
  return task;
}

/// The worker reads config.json, so it has to say what the plan says.
void write_config(const Task& task) {
  std::error_code error;
  fs::create_directories(task.dir.path, error);
  if (error) {
    const bool full = error == std::errc::no_space_on_device;
    fail(full ? ExitCode::kResources : ExitCode::kBadInput, "cannot create {}: {}",
         task.dir.path.string(), error.message());
  }
  const Json config = to_json(*task.spec);
  if (!fs::exists(task.dir.config())) {
    publish(task.dir.config(), to_text(config));
  } else if (to_line(read_json(task.dir.config())) != to_line(config)) {
    fail(ExitCode::kRefused, "{} differs from the plan: somebody changed it",
         task.dir.config().string());
  }
}

std::string describe_holder(const ClaimInfo& holder) {
  if (holder.who.host.empty()) return "another worker";
  return fmt::format("process {} on {} since {}", holder.who.pid, holder.who.host, holder.since);
}

}  // namespace

Orchestrator::Orchestrator(const Workplace& workplace, const std::vector<RunSpec>& plan)
    : at_(workplace) {
  for (const RunSpec& spec : plan) tasks_.push_back(read_task(spec, at_.sweep, speeds_));
  counts_.planned = tasks_.size();
  for (const Task& task : tasks_) ++count_of_state(task);
}

QueueSummary Orchestrator::run() {
  for (;;) {
    const double now_s = monotonic_s();
    obey_signals();
    collect(now_s);
    watch_workers(now_s);
    keep_claim(now_s);
    guarded([&] {
      look_elsewhere(now_s);
      start_ready(now_s);
    });
    show(now_s);
    if (is_over()) break;
    at_.executor.wait(signals_.fd(), kTickSeconds);
  }
  summary_.runs = counts();
  if (summary_.code == ExitCode::kOk && summary_.runs.finished < summary_.runs.planned) {
    summary_.code = summary_.runs.failed > 0 ? ExitCode::kRunFailed : ExitCode::kIncomplete;
  }
  return summary_;
}

RunCounts Orchestrator::counts() const { return counts_; }

std::size_t& Orchestrator::count_of_state(const Task& task) {
  switch (task.state) {
    case Task::State::kRunning:
      return counts_.running;
    case Task::State::kFinished:
      return counts_.finished;
    case Task::State::kFailed:
      return counts_.failed;
    case Task::State::kElsewhere:
      return counts_.elsewhere;
    case Task::State::kWaiting:
      break;
  }
  return task.attempts > 0 ? counts_.interrupted : counts_.waiting;
}

void Orchestrator::enter(Task& task, Task::State state) {
  --count_of_state(task);
  task.state = state;
  ++count_of_state(task);
}

// Only Ctrl-C escalates: at a logout or shutdown SIGTERM and SIGHUP come together, and both mean
// the same wish.
void Orchestrator::obey_signals() {
  for (const int signal : signals_.take()) {
    if (summary_.signal == 0 || signal == SIGINT) summary_.signal = signal;
    if (signal == SIGINT) ++interrupts_;
    if (interrupts_ >= 3) {
      stopping_ = Stopping::kLeave;
    } else if (interrupts_ == 2) {
      at_.view.message("stopping at once");
      stopping_ = std::max(stopping_, Stopping::kNow);
      stop_workers(Stop::kNow);
    } else {
      at_.view.message("stopping at checkpoints; Ctrl-C again to stop at once");
      stopping_ = std::max(stopping_, Stopping::kAtCheckpoint);
      stop_workers(Stop::kAtCheckpoint);
    }
  }
}

void Orchestrator::stop_workers(Stop how) {
  for (ActiveWorker& worker : active_) {
    worker.asked_to_stop = true;
    at_.executor.stop(worker.task->dir.id(), how);
  }
}

void Orchestrator::give_up(ExitCode code, const std::string& problem) {
  if (!summary_.problem.empty()) return;
  summary_.code = code;
  summary_.problem = problem;
  stopping_ = std::max(stopping_, Stopping::kAtCheckpoint);
  stop_workers(Stop::kAtCheckpoint);
}

bool Orchestrator::is_over() const {
  if (stopping_ == Stopping::kLeave) return true;
  if (!active_.empty()) return false;
  return stopping_ != Stopping::kNo || counts_.waiting + counts_.interrupted == 0;
}

void Orchestrator::keep_claim(double now_s) {
  if (now_s < next_renewal_s_) return;
  next_renewal_s_ = now_s + kRenewalSeconds;
  guarded([&] { at_.owner.renew(); });
}

void Orchestrator::start_ready(double now_s) {
  const auto is_settled = [](const Task& task) {
    return task.state == Task::State::kFinished || task.state == Task::State::kFailed;
  };
  while (first_open_ < tasks_.size() && is_settled(tasks_[first_open_])) ++first_open_;
  for (std::size_t i = first_open_; i < tasks_.size(); ++i) {
    Task& task = tasks_[i];
    if (stopping_ != Stopping::kNo) return;
    if (task.state != Task::State::kWaiting || task.not_before_s > now_s) continue;
    if (!has_room_for(task)) return;
    if (is_free(task, now_s)) start(task, now_s);
  }
}

bool Orchestrator::has_room_for(const Task& task) {
  const auto room = at_.executor.room_for(*task.spec);
  if (room != Executor::Room::kNoMemory) return room == Executor::Room::kFree;
  const std::string shortage = at_.executor.memory_shortage(*task.spec);
  if (active_.empty()) {
    give_up(ExitCode::kResources, "not enough memory for a single worker: " + shortage);
  } else if (said_.insert("memory").second) {
    at_.view.message("memory limits how many runs go at once: " + shortage);
  }
  return false;
}

/// Whether nobody works on it and it is still to be done: a worker of an orchestrator that was
/// killed needs a moment to reach its checkpoint, and may even finish instead.
bool Orchestrator::is_free(Task& task, double now_s) {
  if (fs::exists(task.dir.result())) {
    mark_finished(task);
    return false;
  }
  if (owner_of(task.dir.claim())) {
    wait_for_holder(task, now_s);
    return false;
  }
  task.held_since_s.reset();
  return true;
}

void Orchestrator::start(Task& task, double now_s) {
  write_config(task);
  const std::int64_t number = task.attempts + 1;
  const StartedWorker worker =
      at_.executor.start({task.dir, task.spec, number, at_.execution.checkpoint_seconds});
  Attempt attempt;
  attempt.number = number;
  attempt.host = worker.host;
  attempt.pid = worker.pid;
  attempt.started = utc_now();
  enter(task, Task::State::kRunning);
  task.attempts = number;
  active_.push_back(
      {&task, attempt,
       WorkerWatch(task.dir.timing(), at_.execution.hang_seconds, at_.timing.kill_grace_s, now_s),
       task.step, std::nullopt});
  crash_point("queue.worker_started");
  append_attempt_start(task.dir, attempt);
  if (!worker.notice.empty()) say_once(worker.notice);
}

void Orchestrator::wait_for_holder(Task& task, double now_s) {
  if (!task.held_since_s) task.held_since_s = now_s;
  task.not_before_s = now_s + kHolderPollSeconds;
  const double waited_s = now_s - *task.held_since_s;
  if (waited_s < kSilentWaitSeconds) return;
  const std::string holder = describe_holder(owner_of(task.dir.claim()).value_or(ClaimInfo{}));
  if (waited_s < at_.timing.claim_patience_s) {
    say_once(fmt::format("{}: waiting for {} to stop", task.dir.id(), holder));
  } else {
    enter(task, Task::State::kElsewhere);
    at_.view.message(fmt::format("{} is worked on by {}; left to it", task.dir.id(), holder));
  }
}

void Orchestrator::look_elsewhere(double now_s) {
  if (now_s < next_look_elsewhere_s_) return;
  next_look_elsewhere_s_ = now_s + kElsewherePollSeconds;
  for (Task& task : tasks_) {
    if (task.state != Task::State::kElsewhere || owner_of(task.dir.claim())) continue;
    enter(task, Task::State::kWaiting);
    task.held_since_s.reset();
  }
}

void Orchestrator::read_pace_of(ActiveWorker& worker) {
  const RunSpec& spec = *worker.task->spec;
  const auto pace = read_pace(worker.task->dir.timing(), tokens_per_step(spec));
  if (!pace) return;
  worker.task->step = pace->step;
  worker.tokens_per_s = pace->tokens_per_s;
  if (pace->tokens_per_s) speeds_.note(spec, *pace->tokens_per_s);
}

void Orchestrator::show(double now_s) {
  if (now_s >= next_pace_s_) {
    next_pace_s_ = now_s + kPaceSeconds;
    for (ActiveWorker& worker : active_) read_pace_of(worker);
  }
  if (now_s >= next_left_s_) {
    next_left_s_ = now_s + kTickSeconds;
    waiting_left_s_ = waiting_left_s();
  }
  at_.view.update(progress());
}

Progress Orchestrator::progress() const {
  Progress progress;
  progress.runs = counts();
  TimeLeft left(speeds_);
  for (const ActiveWorker& worker : active_) {
    const Task& task = *worker.task;
    progress.active.push_back(left.add_active(*task.spec, task.step, worker.tokens_per_s));
    progress.active.back().host = worker.attempt.host;
  }
  left.add_waiting(waiting_left_s_);
  progress.left_s = left.total_s();
  return progress;
}

std::optional<double> Orchestrator::waiting_left_s() const {
  double sum_s = 0;
  for (const Task& task : tasks_) {
    if (task.state != Task::State::kWaiting) continue;
    const auto seconds = speeds_.seconds_left(*task.spec, task.step);
    if (!seconds) return std::nullopt;
    sum_s += *seconds;
  }
  return sum_s;
}

void Orchestrator::say_once(const std::string& line) {
  if (said_.insert(line).second) at_.view.message(line);
}

}  // namespace sweep
