#include "sweep/base/capture.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sweep/base/error.h"

extern char** environ;

namespace sweep {
namespace {

std::string read_to_end(int fd) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

Captured capture(const std::vector<std::string>& argv) {
  int ends[2];
  if (::pipe(ends) != 0) fail(ExitCode::kResources, "no pipe: {}", std::strerror(errno));
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);

  Captured captured;
  if (error == 0) captured.output = read_to_end(ends[0]);
  ::close(ends[0]);
  if (error != 0) {
    fail(ExitCode::kResources, "cannot start {}: {}", argv[0], std::strerror(error));
  }
  while (::waitpid(pid, &captured.status, 0) < 0 && errno == EINTR) continue;
  return captured;
}

}  // namespace sweep
