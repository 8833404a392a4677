#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "queue/cores.h"
#include "queue/executor.h"
#include "sweep/base/machine.h"
#include "sweep/base/process.h"

namespace sweep {

struct LocalPoolOptions {
  std::filesystem::path trainer;
  int jobs = 1;
  std::vector<int> cpus = usable_cpus();
  std::filesystem::path core_folder = core_lock_folder();
  /// As QueueOptions::memory_bytes.
  std::function<std::uint64_t(const RunSpec&)> memory_bytes;
  std::function<std::optional<std::uint64_t>()> available_memory = sweep::available_memory;
};

/// Workers on this machine: one process each, pinned to a core of its own where one is free.
class LocalPool : public Executor {
 public:
  explicit LocalPool(LocalPoolOptions options);

  Room room_for(const RunSpec& spec) override;
  [[nodiscard]] std::string memory_shortage(const RunSpec& spec) const override;
  StartedWorker start(const WorkOrder& order) override;
  std::vector<WorkerEnd> reap() override;
  void stop(const std::string& run, Stop how) override;
  void wait(int wake_fd, double seconds) override;

 private:
  struct Worker {
    std::string run;
    Child child;
    std::optional<HeldCore> core;
    std::uint64_t needed_bytes = 0;
    std::optional<std::uint64_t> memory_kills;  ///< of the system, when it was started
  };

  [[nodiscard]] std::uint64_t needed_by(const RunSpec& spec) const;
  [[nodiscard]] std::uint64_t still_to_be_taken() const;
  [[nodiscard]] std::vector<std::string> command(const WorkOrder& order,
                                                 const std::optional<HeldCore>& core) const;

  LocalPoolOptions options_;
  std::vector<Worker> workers_;
};

}  // namespace sweep
