#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace sweep {

/// Bytes that a process has in memory now; nullopt where the system does not say.
std::optional<std::uint64_t> resident_bytes(pid_t pid);

/// The most that any child of this process that has ended ever had in memory; 0: none has ended.
std::uint64_t largest_child_bytes();

/// How often the system killed a process for want of memory since it started; nullopt: unknown.
std::optional<std::uint64_t> out_of_memory_kills();

}  // namespace sweep
