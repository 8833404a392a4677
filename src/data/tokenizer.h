#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sweep/data/corpus.h"

namespace sweep {

struct Tokenized {
  std::vector<Token> tokens;
  std::vector<std::string> vocabulary;
};

/// One token per UTF-8 character, ids in the order of the sorted distinct characters (as nanoGPT's
/// shakespeare_char). Throws `Error` for invalid UTF-8 or more than 65535 distinct characters;
/// `source` names the text in messages.
Tokenized tokenize_chars(std::string_view text, std::string_view source);

/// One token per byte; the vocabulary is always 256.
Tokenized tokenize_bytes(std::string_view text);

}  // namespace sweep
