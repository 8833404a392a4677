#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sweep {

struct PlanOptions {
  bool probe = true;       ///< time a few real steps of each size
  bool list_runs = false;  ///< print the runs in their order too
  bool json = false;
  std::optional<std::int64_t> vocabulary;  ///< of a corpus that is not there yet
};

/// What a pre-registration would cost: runs, parameters, tokens and epochs, time, memory, disk.
/// Prints it and returns the exit status. Writes nothing.
int print_plan(const std::filesystem::path& file, const PlanOptions& options);

}  // namespace sweep
