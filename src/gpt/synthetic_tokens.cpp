#include "gpt/synthetic_tokens.h"

#include "sweep/base/random.h"

namespace sweep {

std::vector<Token> synthetic_tokens(std::int64_t vocab_size, std::int64_t count) {
  RandomStream stream(0, "synthetic tokens");
  std::vector<Token> tokens(static_cast<std::size_t>(count));
  for (Token& token : tokens) {
    token = static_cast<Token>(stream.below(static_cast<std::uint64_t>(vocab_size)));
  }
  return tokens;
}

}  // namespace sweep
