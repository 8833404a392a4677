#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpt/run_fixture.h"
#include "gpt/synthetic_tokens.h"
#include "gpt/trainer.h"

namespace sweep {

inline constexpr std::int64_t kVocabulary = 11;

/// A tiny model and its text, trained by one kernel path.
class TrainerFixture : public testing::Test {
 protected:
  explicit TrainerFixture(KernelPath path) : path_(path) { config_.model.vocab_size = kVocabulary; }

  [[nodiscard]] Trainer trainer(std::uint64_t seed = 1) const {
    return {config_, seed, tokens_, tokens_, path_};
  }

  static std::string weights_of(const Trainer& trainer) {
    return write_safetensors(trainer.weights(), {});
  }

  static double evaluate(const Trainer& trainer) {
    return trainer.validation_loss([] {});
  }

  static void train(Trainer& trainer, int updates) {
    for (int i = 0; i < updates; ++i) EXPECT_EQ(trainer.update().nonfinite, "");
  }

  /// A trainer at step 1 one of whose tensors begins with `value`.
  [[nodiscard]] Trainer with_first_value(const std::string& name, float value) const {
    Trainer result = trainer();
    std::vector<TensorBytes> state = result.state();
    const auto tensor = std::find_if(state.begin(), state.end(),
                                     [&](const TensorBytes& t) { return t.name == name; });
    std::string bytes(tensor->bytes);
    std::memcpy(bytes.data(), &value, sizeof value);
    tensor->bytes = bytes;
    result.restore(parse_safetensors(write_safetensors(state, {}), "state"), 1);
    return result;
  }

  KernelPath path_;
  Config config_ = tiny_run_config();
  std::vector<Token> tokens_ = synthetic_tokens(kVocabulary, 500);
};

}  // namespace sweep
