#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sweep {

/// Says which process on which boot of which machine; a reused pid is told from the old one by its
/// start time.
struct ProcessIdentity {
  std::string host;
  std::string boot_id;  ///< changes at every boot
  pid_t pid = 0;
  std::string start;  ///< start time as the kernel gives it, opaque
  bool operator==(const ProcessIdentity&) const = default;
};

/// This process.
ProcessIdentity self_identity();

/// Whether that very process runs on this machine now. Meaningless for another host.
bool is_alive(const ProcessIdentity& identity);

struct SpawnOptions {
  std::vector<std::string> argv;         ///< argv[0] is the program's path; never a shell string
  std::filesystem::path output;          ///< stdout and stderr are appended here
  std::vector<std::string> environment;  ///< added to this process's, "NAME=value"
};

/// A child in a process group of its own. It inherits, as file descriptor `kLifelineFd`, the read
/// end of a pipe that ends when this process does, however it ends.
class Child {
 public:
  static constexpr int kLifelineFd = 3;

  /// Throws `Error` (`kResources`) when the program cannot be started.
  static Child spawn(const SpawnOptions& options);

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The wait(2) status once the child has ended; never blocks. Later calls repeat it.
  std::optional<int> poll();
  /// Signals the whole process group; nothing happens once the child has been reaped.
  void signal(int number) const;
  /// A descriptor that becomes readable when the child ends, or -1 where the system has none.
  [[nodiscard]] int wait_fd() const { return wait_fd_; }

  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;

 private:
  Child() = default;
  pid_t pid_ = -1;
  int lifeline_ = -1;
  int wait_fd_ = -1;
  std::optional<int> status_;
};

/// "exit 75", "signal 9 (Killed)".
std::string describe_status(int wait_status);

/// The running program's own path, so that programs of one build find each other.
std::filesystem::path program_path();

/// Now as UTC, "2026-08-01T12:34:56Z".
std::string utc_now();

/// Seconds on a clock that never jumps.
double monotonic_s();

}  // namespace sweep
