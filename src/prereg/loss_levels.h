#pragma once

#include <array>
#include <string>
#include <utility>

#include "sweep/prereg/definitions.h"

namespace sweep {

/// Losses that a rule may name instead of a number.
inline constexpr std::array<std::pair<FailureRule::LossLevel, const char*>, 4> kLossLevels = {{
    {FailureRule::LossLevel::kInitialValLoss, "initial_val_loss"},
    {FailureRule::LossLevel::kUniformFloor, "uniform_floor"},
    {FailureRule::LossLevel::kUnigramFloor, "unigram_floor"},
    {FailureRule::LossLevel::kBigramFloor, "bigram_floor"},
}};

inline std::string loss_level_word(FailureRule::LossLevel level) {
  for (const auto& [named, word] : kLossLevels) {
    if (named == level) return word;
  }
  return "";
}

}  // namespace sweep
