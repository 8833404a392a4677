#include "stated_corpora.h"

#include <boost/program_options/value_semantic.hpp>

#include "sweep/base/error.h"

namespace sweep {
namespace {

constexpr std::int64_t kLargestVocabulary = 65535;

/// Large enough for any plan; shown nowhere.
CorpusFacts stated(const DataConfig& data, std::int64_t vocabulary) {
  constexpr std::int64_t kPlenty = 1'000'000'000'000;
  CorpusFacts facts;
  facts.description = fmt::format("stated: {} symbols", vocabulary);
  facts.tokenizer = data.tokenizer;
  facts.vocab_size = vocabulary;
  facts.train_tokens = kPlenty;
  facts.val_tokens = kPlenty;
  return facts;
}

}  // namespace

StatedCorpora survey_or_state(const Prereg& prereg, std::optional<std::int64_t> vocabulary) {
  StatedCorpora result;
  for (const DataConfig& data : data_configs(prereg)) {
    CorpusFacts facts;
    std::string source = "the corpus";
    try {
      facts = facts_of(load_corpus(data, prereg.folder), data);
    } catch (const Error& e) {
      result.absent.emplace_back(e.what());
      source = vocabulary ? "--vocab" : "assumed";
      const std::int64_t padded = prereg.base.model.vocab_size;
      facts = stated(data, vocabulary.value_or(padded > 0 ? padded : kAssumedVocabulary));
    }
    if (result.corpora.empty()) {
      result.vocabulary = facts.vocab_size;
      result.source = source;
    }
    result.corpora[corpus_key(data)] = facts;
  }
  return result;
}

bool is_stated(const CorpusFacts& facts) { return facts.hash.empty(); }

void add_vocabulary_option(po::options_description& options) {
  options.add_options()("vocab", po::value<std::int64_t>(),
                        "symbols of a corpus that is not there yet");
}

std::optional<std::int64_t> vocabulary_of(const Arguments& arguments) {
  if (!arguments.has("vocab")) return std::nullopt;
  const auto vocabulary = arguments.get<std::int64_t>("vocab");
  if (vocabulary >= 2 && vocabulary <= kLargestVocabulary) return vocabulary;
  fail(ExitCode::kBadInput, "--vocab {}: between 2 and {} symbols", vocabulary, kLargestVocabulary);
}

}  // namespace sweep
