#include "data/tokenizer.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "sweep/base/error.h"

namespace sweep {
namespace {

/// Length of the well-formed UTF-8 sequence at the front of `text`; 0 when there is none
/// (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

std::vector<std::string_view> characters(std::string_view text, std::string_view source) {
  std::vector<std::string_view> result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      fail(ExitCode::kBadInput,
           "{}: byte {} is not valid UTF-8; convert the file, or use tokenizer: byte", source, i);
    }
    result.push_back(text.substr(i, length));
    i += length;
  }
  return result;
}

}  // namespace

Tokenized tokenize_chars(std::string_view text, std::string_view source) {
  const auto chars = characters(text, source);
  // UTF-8 sorts by bytes as Unicode sorts by code points.
  std::vector<std::string_view> distinct = chars;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() > std::numeric_limits<Token>::max()) {
    fail(ExitCode::kBadInput, "{}: {} distinct characters, at most 65535 are possible", source,
         distinct.size());
  }
  Tokenized result;
  std::unordered_map<std::string_view, Token> id;
  for (const auto& c : distinct) {
    id.emplace(c, static_cast<Token>(result.vocabulary.size()));
    result.vocabulary.emplace_back(c);
  }
  result.tokens.reserve(chars.size());
  for (const auto& c : chars) result.tokens.push_back(id.at(c));
  return result;
}

Tokenized tokenize_bytes(std::string_view text) {
  Tokenized result;
  for (int byte = 0; byte < 256; ++byte) {
    result.vocabulary.emplace_back(1, static_cast<char>(byte));
  }
  result.tokens.reserve(text.size());
  for (const char c : text) result.tokens.push_back(static_cast<unsigned char>(c));
  return result;
}

}  // namespace sweep
