#include "queue/local_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "queue/memory.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

WorkerEnd end_of(const std::string& run, int wait_status,
                 const std::optional<std::uint64_t>& memory_kills_before) {
  WorkerEnd end;
  end.run = run;
  if (WIFEXITED(wait_status)) end.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) end.signal = WTERMSIG(wait_status);
  end.status = describe_status(wait_status);
  const auto now = out_of_memory_kills();
  end.out_of_memory = now && memory_kills_before && *now > *memory_kills_before;
  return end;
}

}  // namespace

LocalPool::LocalPool(LocalPoolOptions options) : options_(std::move(options)) {}

std::uint64_t LocalPool::needed_by(const RunSpec& spec) const {
  const std::uint64_t estimate = options_.memory_bytes ? options_.memory_bytes(spec) : 0;
  return estimate > 0 ? estimate : largest_child_bytes();
}

std::uint64_t LocalPool::still_to_be_taken() const {
  std::uint64_t bytes = 0;
  for (const Worker& worker : workers_) {
    const auto taken = resident_bytes(worker.child.pid()).value_or(worker.needed_bytes);
    if (worker.needed_bytes > taken) bytes += worker.needed_bytes - taken;
  }
  return bytes;
}

Executor::Room LocalPool::room_for(const RunSpec& spec) {
  if (static_cast<int>(workers_.size()) >= options_.jobs) return Room::kBusy;
  const auto available = options_.available_memory();
  if (!available) return Room::kFree;
  return needed_by(spec) + still_to_be_taken() <= *available ? Room::kFree : Room::kNoMemory;
}

std::string LocalPool::memory_shortage(const RunSpec& spec) const {
  const auto available = options_.available_memory().value_or(0);
  return fmt::format("a run needs about {}, {} are free",
                     format_bytes(static_cast<double>(needed_by(spec))),
                     format_bytes(static_cast<double>(available)));
}

std::vector<std::string> LocalPool::command(const WorkOrder& order,
                                            const std::optional<HeldCore>& core) const {
  std::vector<std::string> argv = {options_.trainer.string(),
                                   order.run.path.string(),
                                   "--attempt",
                                   std::to_string(order.attempt),
                                   "--lifeline",
                                   std::to_string(Child::kLifelineFd),
                                   "--checkpoint-seconds",
                                   format_number(order.checkpoint_s)};
  if (core) argv.insert(argv.end(), {"--cpu", std::to_string(core->cpu)});
  return argv;
}

StartedWorker LocalPool::start(const WorkOrder& order) {
  auto core = take_core(options_.core_folder, options_.cpus);
  const bool pinned = core.has_value();
  Child child = Child::spawn({command(order, core), order.run.worker_log(), {}});
  const StartedWorker started = {
      self_identity().host, child.pid(),
      pinned ? "" : "all cores are taken by other sweeps: sharing them, workers are not pinned"};
  workers_.push_back({order.run.id(), std::move(child), std::move(core), needed_by(*order.spec),
                      out_of_memory_kills()});
  return started;
}

std::vector<WorkerEnd> LocalPool::reap() {
  std::vector<WorkerEnd> ends;
  std::erase_if(workers_, [&](Worker& worker) {
    const auto status = worker.child.poll();
    if (status) ends.push_back(end_of(worker.run, *status, worker.memory_kills));
    return status.has_value();
  });
  return ends;
}

void LocalPool::stop(const std::string& run, Stop how) {
  for (const Worker& worker : workers_) {
    if (worker.run == run) worker.child.signal(how == Stop::kNow ? SIGKILL : SIGTERM);
  }
}

void LocalPool::wait(int wake_fd, double seconds) {
  std::vector<struct pollfd> fds = {{wake_fd, POLLIN, 0}};
  // A negative descriptor (no pidfd on this system) is skipped by poll(2): the timeout serves.
  for (const Worker& worker : workers_) fds.push_back({worker.child.wait_fd(), POLLIN, 0});
  ::poll(fds.data(), static_cast<nfds_t>(fds.size()), static_cast<int>(seconds * 1000));
}

}  // namespace sweep
