#include "queue/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "sweep/base/error.h"

namespace sweep {
namespace {

std::atomic<int> g_write_fd{-1};

void on_signal(int number) {
  const int saved_errno = errno;
  const auto byte = static_cast<unsigned char>(number);
  // A full pipe holds thousands of signals already: losing this one changes nothing.
  [[maybe_unused]] const ssize_t n = ::write(g_write_fd.load(), &byte, 1);
  errno = saved_errno;
}

void make_quiet(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

}  // namespace

StopSignals::StopSignals() {
  int ends[2];
  if (::pipe(ends) != 0) fail(ExitCode::kResources, "no pipe: {}", std::strerror(errno));
  make_quiet(ends[0]);
  make_quiet(ends[1]);
  read_fd_ = ends[0];
  g_write_fd = ends[1];
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) {
    struct sigaction action{};
    action.sa_handler = number == SIGPIPE ? SIG_IGN : number == SIGCHLD ? SIG_DFL : on_signal;
    action.sa_flags = SA_RESTART;
    Saved saved{number, {}};
    ::sigaction(number, &action, &saved.action);
    // An ignored SIGHUP is the wish of nohup(1). An ignored SIGINT is only what a shell script does
    // to everything it starts in the background, and "kill -INT" should work there too.
    if (number == SIGHUP && saved.action.sa_handler == SIG_IGN) {
      ::sigaction(number, &saved.action, nullptr);
    }
    saved_.push_back(saved);
  }
}

StopSignals::~StopSignals() {
  for (const Saved& saved : saved_) ::sigaction(saved.number, &saved.action, nullptr);
  ::close(g_write_fd.exchange(-1));
  ::close(read_fd_);
}

std::vector<int> StopSignals::take() {
  std::vector<int> numbers;
  unsigned char byte = 0;
  while (::read(read_fd_, &byte, 1) == 1) numbers.push_back(byte);
  return numbers;
}

}  // namespace sweep
