#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "prereg/diagnostics.h"

namespace sweep {

/// Finds what a YAML parser passes over in silence: a byte order mark, Windows line ends, tabs,
/// bytes that are not UTF-8, control characters. Returns the text with the harmless ones of these
/// neutralised, every other byte in its line and column, so that the reader can go on and report
/// the rest as well; nullopt when the structure itself is in doubt.
std::optional<std::string> checked_text(std::string_view text, Diagnostics& diagnostics);

}  // namespace sweep
