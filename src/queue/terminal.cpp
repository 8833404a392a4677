#include "queue/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "sweep/queue/progress.h"

namespace sweep {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

TerminalSize terminal_size(int fd) {
  TerminalSize size;
  struct winsize window{};
  if (::ioctl(fd, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

bool can_redraw(int fd) { return ::isatty(fd) == 1 && environment("TERM") != "dumb"; }

void write_quietly(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool use_color(int fd, ColorChoice choice) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  return can_redraw(fd) && environment("NO_COLOR").empty();
}

}  // namespace sweep
