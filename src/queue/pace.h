#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "sweep/prereg/run_spec.h"

namespace sweep {

/// How far a worker is and how fast it goes, from the last lines of its timing.jsonl.
struct Pace {
  std::int64_t step = 0;
  std::int64_t max_iters = 0;
  /// Evaluation included, over the last lines (about a minute) of the newest attempt; before it has
  /// two lines the worker's own figure; nullopt: neither is there.
  std::optional<double> tokens_per_s;
};

/// nullopt: nothing readable is there yet. Reads a few kilobytes whatever the file's size.
std::optional<Pace> read_pace(const std::filesystem::path& timing, std::int64_t tokens_per_step);

/// batch_size * block_size.
std::int64_t tokens_per_step(const RunSpec& spec);

}  // namespace sweep
