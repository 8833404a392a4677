#include "sweep/base/process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif

#include "sweep/base/error.h"
#include "sweep/base/files.h"

extern char** environ;

namespace sweep {
namespace fs = std::filesystem;
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  return text;
}

#ifdef __linux__
std::string boot_id() {
  return trimmed(read_file_if_exists("/proc/sys/kernel/random/boot_id").value_or(""));
}

/// Field 22 of /proc/PID/stat, in clock ticks since boot; "" when there is no such process. A
/// zombie counts as ended: it will never write again.
std::string start_of(pid_t pid) {
  const auto stat = read_file_if_exists(fmt::format("/proc/{}/stat", pid));
  if (!stat) return "";
  // The program's name may hold spaces and brackets: count from the last one.
  std::istringstream rest(stat->substr(stat->rfind(')') + 1));
  std::string word;
  rest >> word;
  if (word == "Z" || word == "X") return "";
  for (int field = 4; field <= 22; ++field) rest >> word;
  return word;
}

int open_wait_fd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

/// Bytes left under the cgroup's limit, when there is one.
std::optional<std::uint64_t> cgroup_headroom() {
  const auto limit = read_file_if_exists("/sys/fs/cgroup/memory.max");
  const auto used = read_file_if_exists("/sys/fs/cgroup/memory.current");
  if (!limit || !used || limit->starts_with("max")) return std::nullopt;
  const auto max = std::stoull(*limit);
  const auto now = std::stoull(*used);
  return max > now ? max - now : 0;
}
#else
std::string sysctl_text(const char* name) {
  char buffer[256] = {};
  std::size_t size = sizeof buffer;
  return ::sysctlbyname(name, buffer, &size, nullptr, 0) == 0 ? std::string(buffer) : "";
}

std::string boot_id() { return sysctl_text("kern.bootsessionuuid"); }

std::string start_of(pid_t pid) {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
  struct kinfo_proc info{};
  std::size_t size = sizeof info;
  if (::sysctl(name, 4, &info, &size, nullptr, 0) != 0 || size == 0) return "";
  const auto& t = info.kp_proc.p_starttime;
  return fmt::format("{}.{:06}", t.tv_sec, t.tv_usec);
}

int open_wait_fd(pid_t) { return -1; }
#endif

std::string host_name() {
  char buffer[256] = {};
  ::gethostname(buffer, sizeof buffer - 1);
  return buffer;
}

void check_spawn(int error, const std::string& program) {
  if (error != 0) {
    fail(ExitCode::kResources, "cannot start {}: {}", program, std::strerror(error));
  }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  const auto overridden = [&](std::string_view entry) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(added.begin(), added.end(),
                       [&](const std::string& a) { return a.starts_with(name); });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!overridden(*entry)) result.emplace_back(*entry);
  }
  return result;
}

}  // namespace

ProcessIdentity self_identity() {
  return {host_name(), boot_id(), ::getpid(), start_of(::getpid())};
}

bool is_alive(const ProcessIdentity& identity) {
  return identity.boot_id == boot_id() && !identity.start.empty() &&
         start_of(identity.pid) == identity.start;
}

Child Child::spawn(const SpawnOptions& options) {
  int ends[2];
  if (::pipe(ends) != 0) check_spawn(errno, options.argv[0]);
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  Child child;
  child.lifeline_ = ends[1];

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, options.output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, ends[0], kLifelineFd);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const auto environment = merged_environment(options.environment);
  const auto argv = pointers(options.argv);
  const auto envp = pointers(environment);
  const int error = ::posix_spawn(&child.pid_, options.argv[0].c_str(), &actions, &attributes,
                                  argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  if (error != 0) child.pid_ = -1;
  check_spawn(error, options.argv[0]);
  child.wait_fd_ = open_wait_fd(child.pid_);
  return child;
}

std::optional<int> Child::poll() {
  if (status_ || pid_ < 0) return status_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

void Child::signal(int number) const {
  if (pid_ > 0 && !status_) ::kill(-pid_, number);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      lifeline_(std::exchange(other.lifeline_, -1)),
      wait_fd_(std::exchange(other.wait_fd_, -1)),
      status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(lifeline_, other.lifeline_);
  std::swap(wait_fd_, other.wait_fd_);
  std::swap(status_, other.status_);
  return *this;
}

Child::~Child() {
  if (lifeline_ >= 0) ::close(lifeline_);
  if (wait_fd_ >= 0) ::close(wait_fd_);
}

std::string describe_status(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exit {}", WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return fmt::format("signal {} ({})", number, ::strsignal(number));
}

#ifdef __linux__
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

fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }
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

fs::path program_path() {
  char buffer[4096];
  std::uint32_t size = sizeof buffer;
  if (::_NSGetExecutablePath(buffer, &size) != 0) fail(ExitCode::kResources, "no program path");
  return fs::canonical(buffer);
}
#endif

std::uint64_t free_disk(const fs::path& folder) {
  struct statvfs info{};
  if (::statvfs(folder.c_str(), &info) != 0) {
    fail(ExitCode::kBadInput, "cannot read {}: {}", folder.string(), std::strerror(errno));
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

double monotonic_s() {
  struct timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace sweep
