#include "queue/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace sweep {

std::optional<std::uint64_t> resident_bytes(pid_t pid) {
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return std::nullopt;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t largest_child_bytes() {
  struct rusage usage{};
  if (::getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
#ifdef __APPLE__
  constexpr std::uint64_t kUnit = 1;
#else
  constexpr std::uint64_t kUnit = 1024;
#endif
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit;
}

std::optional<std::uint64_t> out_of_memory_kills() {
  std::ifstream vmstat("/proc/vmstat");
  std::string name;
  std::uint64_t value = 0;
  while (vmstat >> name >> value) {
    if (name == "oom_kill") return value;
  }
  return std::nullopt;
}

}  // namespace sweep
