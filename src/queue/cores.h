#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "sweep/base/lock_file.h"

namespace sweep {

/// Per-user folder with one lock file per core, shared by all sweeps of this user on this machine:
/// $XDG_RUNTIME_DIR/sweep-cores, else <temporary folder>/sweep-cores-<uid>.
std::filesystem::path core_lock_folder();

/// A core that no other sweep's worker is pinned to, for this object's life.
struct HeldCore {
  int cpu;
  FileLock lock;
};

/// The first of `cpus` that is free. nullopt when all are taken, or when `folder` cannot be used:
/// a worker then runs unpinned, for two workers pinned to one core are worse than a free choice by
/// the kernel, and waiting for a stranger's sweep is worse than both.
std::optional<HeldCore> take_core(const std::filesystem::path& folder,
                                  const std::vector<int>& cpus);

}  // namespace sweep
