#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sweep {

/// Physical cores this process may run on (its affinity mask counts); at least 1. On Apple
/// silicon 2: its cores share the matrix units (design: measured elsewhere).
int worker_cores();

/// The logical CPUs, one per physical core, that this process may run on.
std::vector<int> usable_cpus();

/// Binds the calling thread to one logical CPU; false where the system has no such call.
bool pin_to_cpu(int cpu);

/// Bytes of memory that can be had without swapping (cgroup limits count); nullopt if unknown.
std::optional<std::uint64_t> available_memory();

/// Bytes free for this user on the file system that holds `folder`.
std::uint64_t free_disk(const std::filesystem::path& folder);

/// The kind of file system that holds `folder`: "ext4", "nfs", "tmpfs"; "unknown".
std::string file_system_type(const std::filesystem::path& folder);

/// Average number of threads that wanted a core in the last minute.
double load_average();

}  // namespace sweep
