#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {

/// Which text, read how. Field names, ranges and sentences: `config_fields()` in room prereg.
struct DataConfig {
  std::string corpus = "files";           ///< files | kjv | synthetic
  std::vector<std::string> files;         ///< UTF-8 texts, joined in this order; corpus files only
  std::string tokenizer = "char";         ///< char | byte
  double val_fraction = 0.1;              ///< the tail of the tokens that is never trained on
  std::int64_t synthetic_chars = 200000;  ///< length of the synthetic text
  bool operator==(const DataConfig&) const = default;
};

/// Token ids are at most 65535.
using Token = std::uint16_t;

/// A corpus as a row of token ids: the first `train_tokens` are trained on, the rest is held out.
struct Corpus {
  std::vector<Token> tokens;
  std::vector<std::string> vocabulary;  ///< the text of each id
  std::size_t train_tokens = 0;
  std::string description;  ///< one line: where the text came from
  /// Entropy rate of the source in nats per token where it is known (synthetic), else NaN.
  double known_entropy = 0;
};

/// Reads and tokenises. Relative files are looked up in `base_folder` (that of the YAML file).
/// Throws `Error` (`kBadInput`) for a missing file, invalid UTF-8 (char), an alphabet of more than
/// 65535 characters, or a split with an empty side.
Corpus load_corpus(const DataConfig& config, const std::filesystem::path& base_folder);

/// Where the bootstrap script puts the texts it unpacks: $SWEEP_CORPORA, else the folder of the
/// project that built this program. `kjv` is looked up there.
std::filesystem::path corpora_folder();

/// What is registered of a corpus, and what a run needs to know of it.
struct CorpusFacts {
  std::string hash;  ///< SHA-256 of the token file; names it
  std::string description;
  std::string tokenizer;
  std::int64_t vocab_size = 0;
  std::int64_t train_tokens = 0;
  std::int64_t val_tokens = 0;
  double chars_per_token = 1;  ///< of the held-out part; bits per character need it
  std::string vocabulary_hash;
  double known_entropy = 0;
  bool operator==(const CorpusFacts&) const = default;
};

Json to_json(const CorpusFacts& facts);
CorpusFacts corpus_facts_from_json(const Json& json);

CorpusFacts facts_of(const Corpus& corpus, const DataConfig& config);

/// Writes `<folder>/<hash>.bin` (little-endian uint16 ids, nothing else) and `<hash>.json` (facts
/// and vocabulary) unless they are there, and returns the facts.
CorpusFacts store_corpus(const Corpus& corpus, const DataConfig& config,
                         const std::filesystem::path& folder);

/// A token file, memory-mapped and read-only.
class TokenFile {
 public:
  /// Opens `<folder>/<facts.hash>.bin`; throws `Error` when it is missing or its size is off.
  TokenFile(const std::filesystem::path& folder, const CorpusFacts& facts);
  ~TokenFile();
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  [[nodiscard]] const Token* train() const { return tokens_; }
  [[nodiscard]] std::int64_t train_size() const { return train_; }
  [[nodiscard]] const Token* val() const { return tokens_ + train_; }
  [[nodiscard]] std::int64_t val_size() const { return val_; }

 private:
  const Token* tokens_ = nullptr;
  std::int64_t train_ = 0;
  std::int64_t val_ = 0;
};

/// The windows of the fixed validation set: window w covers ids [w T, w T + T] of the held-out
/// part (T inputs, targets one later). `eval_tokens` 0 means all. Returns how many windows; throws
/// `Error` when not even one fits.
std::int64_t eval_windows(std::int64_t val_tokens, std::int64_t eval_tokens,
                          std::int64_t block_size);

/// Cross-entropy in nats per token of models that only count, on exactly the evaluated targets.
struct CorpusFloors {
  double uniform = 0;  ///< ln V
  double unigram = 0;  ///< add-one counts of the training part
  double bigram = 0;
  bool operator==(const CorpusFloors&) const = default;
};

CorpusFloors corpus_floors(const TokenFile& tokens, std::int64_t vocab_size,
                           std::int64_t eval_tokens, std::int64_t block_size);

}  // namespace sweep
