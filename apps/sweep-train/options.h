#pragma once

#include <optional>
#include <string>

#include "gpt/bench.h"
#include "gpt/worker.h"

namespace sweep {

/// What `sweep-train` is asked to do.
struct TrainOptions {
  enum class Mode { kWork, kIdentity, kProbe, kBench, kExamine, kHelp, kVersion };
  Mode mode = Mode::kWork;
  WorkerOptions worker;
  int lifeline_fd = -1;
  std::optional<int> cpu;
  std::string device = "cpu";            ///< of --identity
  KernelPath path = KernelPath::kPlain;  ///< of --identity, --probe and --bench
  std::string probe_file;
  std::int64_t probe_steps = 10;
  BenchOptions bench;
};

/// Throws `Error` (`kBadInput`) for anything unknown, missing or out of range.
TrainOptions parse_options(int argc, const char* const* argv);

/// The text of `--help`.
std::string usage();

}  // namespace sweep
