#pragma once

#include <filesystem>
#include <string>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"
#include "sweep/prereg/run_spec.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A run of milliseconds on the synthetic text: two layers, one evaluated window per batch row.
inline Config tiny_run_config() {
  Config config;
  config.model.n_layer = 2;
  config.model.n_head = 2;
  config.model.n_embd = 16;
  config.model.block_size = 16;
  config.data.corpus = "synthetic";
  config.data.synthetic_chars = 4000;
  config.train.max_iters = 12;
  config.train.batch_size = 4;
  config.train.learning_rate = 1e-2;
  config.train.warmup_iters = 2;
  config.measure.eval_interval = 5;
  config.measure.eval_tokens = 160;
  return config;
}

/// A sweep directory with one run in it, as the orchestrator would lay it down.
class RunFixture {
 public:
  explicit RunFixture(const Config& config = tiny_run_config(), std::uint64_t seed = 1)
      : run_(SweepDir{folder_.path()}.run("base-s1")) {
    const SweepDir sweep{folder_.path()};
    std::filesystem::create_directories(sweep.data());
    std::filesystem::create_directories(run_.path);
    spec_.id = run_.id();
    spec_.arm = "base";
    spec_.seed = seed;
    spec_.config = config;
    spec_.data = store_corpus(load_corpus(config.data, ""), config.data, sweep.data());
    publish(run_.config(), to_text(to_json(spec_)));
  }

  [[nodiscard]] const RunDir& run() const { return run_; }
  [[nodiscard]] const RunSpec& spec() const { return spec_; }

 private:
  TemporaryFolder folder_;
  RunDir run_;
  RunSpec spec_;
};

/// The bytes of a run that must not depend on how it was carried out.
struct RunBytes {
  std::string weights;
  std::string metrics;
  std::string result;
  bool operator==(const RunBytes&) const = default;
};

inline RunBytes bytes_of(const RunDir& run) {
  return {read_file(run.final_weights()), read_file(run.metrics()), read_file(run.result())};
}

}  // namespace sweep
