#pragma once

#include <csignal>
#include <vector>

namespace sweep {

/// Turns the signals that ask a command to stop into bytes of a pipe, for this object's life, and
/// ignores SIGPIPE: a reader that went away must not end a sweep. SIGHUP stays ignored where nohup
/// asked for it; SIGCHLD gets its default, for a process started with it ignored cannot wait for
/// its workers. The handlers found are restored. At most one such object lives at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable when a signal has come.
  [[nodiscard]] int fd() const { return read_fd_; }
  /// The signals since the last call, in their order: SIGINT, SIGTERM or SIGHUP.
  std::vector<int> take();

 private:
  struct Saved {
    int number;
    struct sigaction action;
  };
  int read_fd_ = -1;
  std::vector<Saved> saved_;
};

}  // namespace sweep
