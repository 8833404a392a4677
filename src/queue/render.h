#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/queue/progress.h"

namespace sweep {

/// The first `columns` code points of a UTF-8 text; all of it for 0.
std::string cut(std::string_view text, std::size_t columns);

/// The cell of a run in words: its id without the hash at the end.
std::string cell_of(std::string_view run_id);

/// "12 of 40 runs finished, 2 running, 1 failed".
std::string describe_counts(const RunCounts& runs);

/// "about 3 min 10 s left (14:32)"; "estimating the time left" before anything was measured; ""
/// when nothing is left. Local time, with the day when it is not today's.
std::string describe_time_left(const Progress& progress, std::time_t now);

/// One line for each active run: cell, step, tokens/s, time left, in columns.
std::vector<std::string> active_lines(const std::vector<ActiveRun>& active);

struct BlockStyle {
  std::string title;
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool color = false;
};

/// What a terminal shows: a bar with counts and time left, then the active runs. No line is wider
/// than the terminal, and there are fewer of them than it has rows.
std::vector<std::string> progress_block(const Progress& progress, const BlockStyle& style,
                                        std::time_t now);

}  // namespace sweep
