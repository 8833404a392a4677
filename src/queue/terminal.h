#pragma once

#include <cstddef>
#include <string_view>

namespace sweep {

/// Size of the terminal behind `fd`; 80 x 24 when it does not say.
struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
TerminalSize terminal_size(int fd);

/// Whether `fd` is a terminal on which lines can be redrawn.
bool can_redraw(int fd);

/// Writes what can be written; a closed pipe or a gone terminal is no reason to end a sweep.
void write_quietly(int fd, std::string_view text);

}  // namespace sweep
