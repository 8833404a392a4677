#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/base/json.h"
#include "sweep/prereg/kernel_path.h"
#include "sweep/prereg/run_spec.h"

namespace sweep {

/// The program that trains: $SWEEP_TRAINER, else `sweep-train` beside this program. Throws `Error`
/// (`kResources`) when it was not built.
std::filesystem::path trainer_path();
bool trainer_is_there();

/// The JSON value that the trainer prints for these words. Throws `Error` when it fails.
Json ask_trainer(std::vector<std::string> words);

/// What bits depend on here, for a device and a kernel path: `sweep-train --identity`.
Json numeric_identity(const std::string& device, KernelPath path);

/// What `sweep-train --bench` says of this run's shape under these further words.
Json bench_run(const RunSpec& spec, std::vector<std::string> words);

/// What one run of this size costs here: a few real steps by `sweep-train --probe`.
struct Probe {
  double seconds_per_step = 0;
  double eval_seconds_per_token = 0;
  double startup_s = 0;
  double peak_rss_bytes = 0;
};
Probe probe_run(const RunSpec& spec, int steps);

}  // namespace sweep
