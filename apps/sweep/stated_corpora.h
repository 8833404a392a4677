#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"
#include "verb.h"

namespace sweep {

/// The corpora of a pre-registration, stated where they are not there.
struct StatedCorpora {
  CorpusTable corpora;
  std::vector<std::string> absent;  ///< why each of the stated ones could not be read
  std::int64_t vocabulary = 0;      ///< of the first corpus
  std::string source;               ///< of that number: "the corpus", "--vocab", "assumed"
};

/// What a character tokenizer finds in plain English; acts only where nothing is known.
inline constexpr std::int64_t kAssumedVocabulary = 65;

/// Reads each corpus; one that is absent is stated with `vocabulary` (or the assumed one) and no
/// hash, so that a plan can be made and nothing trained.
StatedCorpora survey_or_state(const Prereg& prereg, std::optional<std::int64_t> vocabulary);

/// Whether a run's corpus is only stated.
bool is_stated(const CorpusFacts& facts);

void add_vocabulary_option(po::options_description& options);  // --vocab
std::optional<std::int64_t> vocabulary_of(const Arguments& arguments);

}  // namespace sweep
