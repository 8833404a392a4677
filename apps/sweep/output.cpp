#include "output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "sweep/base/error.h"

namespace sweep {

ColorChoice color_choice(const Arguments& arguments) {
  const auto word = arguments.get<std::string>("color");
  if (word == "auto") return ColorChoice::kAuto;
  if (word == "always") return ColorChoice::kAlways;
  if (word == "never") return ColorChoice::kNever;
  fail(ExitCode::kBadInput, "--color {}: auto, always or never", word);
}

std::size_t terminal_columns() {
  struct winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

TerminalOptions terminal_options() {
  constexpr std::size_t kColumnsOfAPipe = 100;
  TerminalOptions options;
  options.width = terminal_columns() == 0 ? kColumnsOfAPipe : terminal_columns();
  options.utf8 = utf8_output();
  return options;
}

bool utf8_output() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace sweep
