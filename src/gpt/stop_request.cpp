#include "gpt/stop_request.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>

#include "sweep/base/error.h"

namespace sweep {
namespace {

volatile std::sig_atomic_t received_signal = 0;

void remember(int number) { received_signal = number; }

std::string name_of(int number) {
  switch (number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGUSR1";
  }
}

bool has_ended(int fd) {
  struct pollfd entry{fd, POLLIN, 0};
  if (::poll(&entry, 1, 0) <= 0) return false;
  if ((entry.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return true;
  char byte = 0;
  return ::read(fd, &byte, 1) == 0;
}

}  // namespace

StopRequest::StopRequest(int lifeline_fd) : lifeline_fd_(lifeline_fd) {
  if (lifeline_fd >= 0 && ::fcntl(lifeline_fd, F_GETFD) < 0) {
    fail(ExitCode::kBadInput, "--lifeline {} is not an open descriptor", lifeline_fd);
  }
  received_signal = 0;
  struct sigaction action{};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  // A closed log or a file size limit shows itself as a failed write, which has its own ending.
  for (const int number : {SIGPIPE, SIGXFSZ}) ::sigaction(number, &action, nullptr);
}

std::optional<std::string> StopRequest::reason() {
  if (received_signal != 0) return name_of(received_signal);
  if (!lifeline_ended_ && lifeline_fd_ >= 0) lifeline_ended_ = has_ended(lifeline_fd_);
  if (lifeline_ended_) return "the orchestrator ended";
  return std::nullopt;
}

}  // namespace sweep
