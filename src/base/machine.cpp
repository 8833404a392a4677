#include "sweep/base/machine.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <mach/mach.h>
#include <sys/mount.h>
#include <sys/param.h>
#endif

#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace fs = std::filesystem;

#ifdef __linux__
namespace {

/// Bytes left under the cgroup's limit, when there is one.
std::optional<std::uint64_t> cgroup_headroom() {
  const auto limit = read_file_if_exists("/sys/fs/cgroup/memory.max");
  const auto used = read_file_if_exists("/sys/fs/cgroup/memory.current");
  if (!limit || !used || limit->starts_with("max")) return std::nullopt;
  const auto max = std::stoull(*limit);
  const auto now = std::stoull(*used);
  return max > now ? max - now : 0;
}

}  // namespace

std::vector<int> usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  std::set<std::string> seen;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask)) continue;
    // Hyper-threads of one core name the same siblings; a system that says nothing has none.
    const auto siblings = read_file_if_exists(
        fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    if (seen.insert(siblings.value_or(std::to_string(cpu))).second) cpus.push_back(cpu);
  }
  return cpus;
}

bool pin_to_cpu(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  return ::sched_setaffinity(0, sizeof mask, &mask) == 0;
}

int worker_cores() { return std::max<int>(1, static_cast<int>(usable_cpus().size())); }

std::optional<std::uint64_t> available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  std::string unit;
  while (meminfo >> name >> kilobytes) {
    std::getline(meminfo, unit);
    if (name != "MemAvailable:") continue;
    const std::uint64_t bytes = kilobytes * 1024;
    return std::min(bytes, cgroup_headroom().value_or(bytes));
  }
  return std::nullopt;
}

/// The type of the mount whose point is the longest beginning of the path.
std::string file_system_type(const fs::path& folder) {
  const std::string path = fs::canonical(folder).string() + "/";
  std::ifstream mounts("/proc/self/mountinfo");
  std::string type = "unknown";
  std::size_t longest = 0;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string skipped;
    std::string point;
    fields >> skipped >> skipped >> skipped >> skipped >> point;
    if (!point.ends_with('/')) point += '/';
    const auto separator = line.find(" - ");
    if (separator == std::string::npos || !path.starts_with(point)) continue;
    if (point.size() < longest) continue;  // of equal ones the later lies on top
    longest = point.size();
    type = line.substr(separator + 3, line.find(' ', separator + 3) - separator - 3);
  }
  return type;
}
#else
std::vector<int> usable_cpus() {
  std::vector<int> cpus(std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < cpus.size(); ++i) cpus[i] = static_cast<int>(i);
  return cpus;
}

bool pin_to_cpu(int) { return false; }

int worker_cores() { return 2; }

std::optional<std::uint64_t> available_memory() {
  vm_statistics64_data_t statistics{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64,
                        reinterpret_cast<host_info64_t>(&statistics), &count) != KERN_SUCCESS) {
    return std::nullopt;
  }
  const std::uint64_t pages = statistics.free_count + statistics.inactive_count;
  return pages * static_cast<std::uint64_t>(::getpagesize());
}

std::string file_system_type(const fs::path& folder) {
  struct statfs info{};
  return ::statfs(folder.c_str(), &info) == 0 ? info.f_fstypename : "unknown";
}
#endif

std::uint64_t free_disk(const fs::path& folder) {
  struct statvfs info{};
  if (::statvfs(folder.c_str(), &info) != 0) {
    fail(ExitCode::kBadInput, "cannot read {}: {}", folder.string(), std::strerror(errno));
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

double load_average() {
  double last_minute = 0;
  return ::getloadavg(&last_minute, 1) == 1 ? last_minute : 0;
}

}  // namespace sweep
