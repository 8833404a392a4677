#include "sweep/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sstream>
#include <utility>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
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
fs::path program_path() { return fs::read_symlink("/proc/self/exe"); }
#else
fs::path program_path() {
  char buffer[4096];
  std::uint32_t size = sizeof buffer;
  if (::_NSGetExecutablePath(buffer, &size) != 0) fail(ExitCode::kResources, "no program path");
  return fs::canonical(buffer);
}
#endif

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
