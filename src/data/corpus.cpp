#include "sweep/data/corpus.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "data/synthetic.h"
#include "data/tokenizer.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/version.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

struct Text {
  std::string text;
  std::string description;
  double known_entropy = std::numeric_limits<double>::quiet_NaN();
};

Text read_kjv() {
  const fs::path file = corpora_folder() / "kjv.txt";
  auto text = read_file_if_exists(file);
  if (!text) {
    fail(ExitCode::kBadInput,
         "corpus kjv: {} is not there; './bootstrap' fetches it, or set SWEEP_CORPORA to the "
         "folder that has kjv.txt",
         file.string());
  }
  return {std::move(*text), "King James Bible (public domain)"};
}

Text read_files(const DataConfig& config, const fs::path& base_folder) {
  if (config.files.empty()) {
    fail(ExitCode::kBadInput,
         "data: name at least one text in 'files', or choose corpus: kjv or synthetic");
  }
  Text result;
  for (const auto& name : config.files) {
    const fs::path file = base_folder / name;
    auto text = fs::is_directory(file) ? std::nullopt : read_file_if_exists(file);
    if (!text) {
      fail(ExitCode::kBadInput, "data.files: no text file {} (looked for {})", name, file.string());
    }
    result.text += *text;
    result.description += (result.description.empty() ? "" : ", ") + name;
  }
  return result;
}

Text read_text(const DataConfig& config, const fs::path& base_folder) {
  if (config.corpus == "kjv") return read_kjv();
  if (config.corpus == "synthetic") {
    return {synthetic_text(config.synthetic_chars), "synthetic sentences", synthetic_entropy()};
  }
  return read_files(config, base_folder);
}

std::size_t code_points(const std::vector<std::string>& vocabulary, const Token* tokens,
                        std::size_t count) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    n += (static_cast<unsigned char>(vocabulary[tokens[i]][0]) & 0xC0U) != 0x80U ? 1 : 0;
  }
  return n;
}

std::string vocabulary_hash(const std::vector<std::string>& vocabulary) {
  std::string bytes;
  for (const auto& entry : vocabulary) bytes += std::to_string(entry.size()) + ":" + entry;
  return sha256(bytes);
}

std::string_view bytes_of(const std::vector<Token>& tokens) {
  return {reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(Token)};
}

/// A vocabulary entry as JSON text: a byte that is no character by itself as <0xE2>.
std::string printable(const std::string& entry) {
  const auto first = static_cast<unsigned char>(entry[0]);
  return entry.size() == 1 && first >= 0x80 ? fmt::format("<0x{:02X}>", first) : entry;
}

}  // namespace

fs::path corpora_folder() {
  const char* chosen = std::getenv("SWEEP_CORPORA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return fs::path(source_folder()) / ".cache" / "corpora";
}

Corpus load_corpus(const DataConfig& config, const fs::path& base_folder) {
  Text text = read_text(config, base_folder);
  Tokenized tokenized = config.tokenizer == "byte" ? tokenize_bytes(text.text)
                                                   : tokenize_chars(text.text, text.description);
  Corpus corpus;
  corpus.tokens = std::move(tokenized.tokens);
  corpus.vocabulary = std::move(tokenized.vocabulary);
  corpus.description = text.description;
  corpus.known_entropy = text.known_entropy;
  // nanoGPT's split: int(n * 0.9).
  const auto n = static_cast<double>(corpus.tokens.size());
  corpus.train_tokens = static_cast<std::size_t>(n * (1 - config.val_fraction));
  if (corpus.train_tokens == 0 || corpus.train_tokens == corpus.tokens.size()) {
    fail(ExitCode::kBadInput,
         "{}: {} tokens split with val_fraction {} leave one side empty; the text is too short",
         corpus.description, corpus.tokens.size(), config.val_fraction);
  }
  return corpus;
}

CorpusFacts facts_of(const Corpus& corpus, const DataConfig& config) {
  CorpusFacts facts;
  facts.hash = sha256(bytes_of(corpus.tokens));
  facts.description = corpus.description;
  facts.tokenizer = config.tokenizer;
  facts.vocab_size = static_cast<std::int64_t>(corpus.vocabulary.size());
  facts.train_tokens = static_cast<std::int64_t>(corpus.train_tokens);
  const std::size_t val = corpus.tokens.size() - corpus.train_tokens;
  facts.val_tokens = static_cast<std::int64_t>(val);
  const auto chars =
      code_points(corpus.vocabulary, corpus.tokens.data() + corpus.train_tokens, val);
  facts.chars_per_token = static_cast<double>(chars) / static_cast<double>(val);
  facts.vocabulary_hash = vocabulary_hash(corpus.vocabulary);
  facts.known_entropy = corpus.known_entropy;
  return facts;
}

CorpusFacts store_corpus(const Corpus& corpus, const DataConfig& config, const fs::path& folder) {
  const CorpusFacts facts = facts_of(corpus, config);
  fs::create_directories(folder);
  const fs::path tokens = folder / (facts.hash + ".bin");
  if (!fs::exists(tokens)) publish(tokens, bytes_of(corpus.tokens));
  Json description = to_json(facts);
  for (const auto& entry : corpus.vocabulary) description["vocabulary"].push_back(printable(entry));
  publish(folder / (facts.hash + ".json"), to_text(description));
  return facts;
}

Json to_json(const CorpusFacts& facts) {
  Json json = {{"hash", facts.hash},
               {"description", facts.description},
               {"tokenizer", facts.tokenizer},
               {"vocab_size", facts.vocab_size},
               {"train_tokens", facts.train_tokens},
               {"val_tokens", facts.val_tokens},
               {"chars_per_token", facts.chars_per_token},
               {"vocabulary_hash", facts.vocabulary_hash}};
  json["known_entropy"] = std::isnan(facts.known_entropy) ? Json() : Json(facts.known_entropy);
  return json;
}

CorpusFacts corpus_facts_from_json(const Json& json) {
  CorpusFacts facts;
  json.at("hash").get_to(facts.hash);
  json.at("description").get_to(facts.description);
  json.at("tokenizer").get_to(facts.tokenizer);
  json.at("vocab_size").get_to(facts.vocab_size);
  json.at("train_tokens").get_to(facts.train_tokens);
  json.at("val_tokens").get_to(facts.val_tokens);
  json.at("chars_per_token").get_to(facts.chars_per_token);
  json.at("vocabulary_hash").get_to(facts.vocabulary_hash);
  const Json& entropy = json.at("known_entropy");
  facts.known_entropy =
      entropy.is_null() ? std::numeric_limits<double>::quiet_NaN() : entropy.get<double>();
  return facts;
}

}  // namespace sweep
