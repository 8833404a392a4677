#pragma once

#include <string>

#include "sweep/analysis/rehearsal.h"
#include "sweep/base/version.h"

namespace sweep {

/// A pre-registration with a plan for a corpus that is only stated.
struct RehearsalCase {
  Prereg prereg;
  std::vector<RunSpec> plan;
  Scene scene;
};

inline CorpusTable stated_corpora(const Prereg& prereg, std::int64_t vocabulary = 65) {
  CorpusFacts facts;
  facts.vocab_size = vocabulary;
  facts.train_tokens = 1'000'000'000;
  facts.val_tokens = 10'000'000;
  CorpusTable table;
  for (const DataConfig& data : data_configs(prereg)) table[corpus_key(data)] = facts;
  return table;
}

inline RehearsalCase case_of(Prereg prereg, double sd = 0.01, double jitter = 0.02) {
  RehearsalCase result{std::move(prereg), {}, {}};
  result.plan = expand(result.prereg, stated_corpora(result.prereg));
  std::erase_if(result.plan, [](const RunSpec& spec) { return spec.block != "main"; });
  result.scene = plain_scene(result.prereg, result.plan);
  result.scene.assumed.sd = sd;
  result.scene.assumed.jitter = jitter;
  return result;
}

inline RehearsalCase study_case() {
  return case_of(
      load_prereg(std::filesystem::path(source_folder()) / "tests/data/prereg_example.yaml"));
}

}  // namespace sweep
