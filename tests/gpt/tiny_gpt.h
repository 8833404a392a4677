#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/prereg/config.h"

namespace sweep {

/// The smallest model that has everything: two layers, two heads.
inline ModelConfig tiny_config(QkNorm variant = QkNorm::kNone) {
  ModelConfig config;
  config.n_layer = 2;
  config.n_head = 2;
  config.n_embd = 8;
  config.block_size = 5;
  config.vocab_size = 7;
  config.qk_norm = variant;
  return config;
}

/// Every value of `model.qk_norm`, so that tests over all of them cover a new one at once.
inline std::vector<QkNorm> all_qk_norms() {
  std::vector<QkNorm> variants;
  for (const std::string& name : find_field("model.qk_norm")->choices) {
    Config config;
    find_field("model.qk_norm")->set(config, name);
    variants.push_back(config.model.qk_norm);
  }
  return variants;
}

inline std::string name_of_qk_norm(const testing::TestParamInfo<QkNorm>& info) {
  return to_string(info.param);
}

}  // namespace sweep
