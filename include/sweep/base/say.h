#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace sweep {

/// Prints a line on stderr or into a log. Unlike fmt::print it never throws: a full disk or a
/// reader that closed the pipe must not end what the line only tells of.
template <typename... Args>
void say(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  const std::string line = fmt::format(format, std::forward<Args>(args)...) + "\n";
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
}

}  // namespace sweep
