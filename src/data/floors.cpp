#include <cmath>
#include <unordered_map>
#include <vector>

#include "sweep/base/error.h"
#include "sweep/data/corpus.h"

namespace sweep {
namespace {

/// How often each id, and each pair of neighbours, stands in the training part.
struct Counts {
  std::vector<std::int64_t> of_token;
  std::vector<std::int64_t> of_first;  ///< as the first of a pair
  std::unordered_map<std::uint32_t, std::int64_t> of_pair;
};

std::uint32_t pair_key(Token first, Token second) { return std::uint32_t{first} << 16U | second; }

Counts count(const Token* tokens, std::int64_t n, std::int64_t vocab_size) {
  Counts counts;
  counts.of_token.resize(static_cast<std::size_t>(vocab_size));
  counts.of_first.resize(static_cast<std::size_t>(vocab_size));
  for (std::int64_t i = 0; i < n; ++i) {
    ++counts.of_token[tokens[i]];
    if (i + 1 == n) break;
    ++counts.of_first[tokens[i]];
    ++counts.of_pair[pair_key(tokens[i], tokens[i + 1])];
  }
  return counts;
}

double add_one_loss(std::int64_t hits, std::int64_t total, std::int64_t vocab_size) {
  return -std::log(static_cast<double>(hits + 1) / static_cast<double>(total + vocab_size));
}

}  // namespace

std::int64_t eval_windows(std::int64_t val_tokens, std::int64_t eval_tokens,
                          std::int64_t block_size) {
  const std::int64_t available = (val_tokens - 1) / block_size;
  const std::int64_t wanted = eval_tokens == 0 ? available : eval_tokens / block_size;
  if (available < 1 || wanted < 1 || wanted > available) {
    fail(ExitCode::kBadInput,
         "measure.eval_tokens {}: the held-out part of {} tokens has {} windows of block_size {}; "
         "choose 0 (all of it) or a number from {} to {}",
         eval_tokens, val_tokens, available, block_size, block_size, available * block_size);
  }
  return wanted;
}

CorpusFloors corpus_floors(const TokenFile& tokens, std::int64_t vocab_size,
                           std::int64_t eval_tokens, std::int64_t block_size) {
  const Counts counts = count(tokens.train(), tokens.train_size(), vocab_size);
  // Windows lie end to end, so the evaluated targets are one contiguous stretch.
  const std::int64_t n = eval_windows(tokens.val_size(), eval_tokens, block_size) * block_size;
  CorpusFloors sums;
  for (std::int64_t i = 1; i <= n; ++i) {
    const Token before = tokens.val()[i - 1];
    const Token target = tokens.val()[i];
    const auto pair = counts.of_pair.find(pair_key(before, target));
    sums.unigram += add_one_loss(counts.of_token[target], tokens.train_size(), vocab_size);
    sums.bigram += add_one_loss(pair == counts.of_pair.end() ? 0 : pair->second,
                                counts.of_first[before], vocab_size);
  }
  return {std::log(static_cast<double>(vocab_size)), sums.unigram / static_cast<double>(n),
          sums.bigram / static_cast<double>(n)};
}

}  // namespace sweep
