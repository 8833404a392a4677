#pragma once

#include "sweep/queue/progress.h"
#include "sweep/report/table.h"
#include "verb.h"

namespace sweep {

/// `--color`; throws `Error` (`kBadInput`) for another word than auto, always, never.
ColorChoice color_choice(const Arguments& arguments);

/// Columns of the terminal behind stdout; 0 when it is none (then nothing is cut).
std::size_t terminal_columns();

/// How tables are laid out on stdout: the terminal's width, or a fixed one in a pipe.
TerminalOptions terminal_options();

/// Whether the locale says that UTF-8 is understood.
bool utf8_output();

}  // namespace sweep
