#include "data/tokenizer.h"

#include <gtest/gtest.h>

#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(TokenizeChars, NumbersTheSortedDistinctCharacters) {
  const Tokenized t = tokenize_chars("bañab", "text");
  EXPECT_EQ(t.vocabulary, (std::vector<std::string>{"a", "b", "ñ"}));
  EXPECT_EQ(t.tokens, (std::vector<Token>{1, 0, 2, 0, 1}));
}

TEST(TokenizeChars, RefusesWhatIsNotUtf8) {
  for (const char* text :
       {"ok\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "cut \xe2\x82"}) {
    EXPECT_THROW(tokenize_chars(text, "text"), Error);
  }
  EXPECT_EQ(tokenize_chars("€😀", "text").tokens.size(), 2U);
}

TEST(TokenizeBytes, AlwaysHas256) {
  const Tokenized t = tokenize_bytes("\xff\x01");
  EXPECT_EQ(t.vocabulary.size(), 256U);
  EXPECT_EQ(t.tokens, (std::vector<Token>{255, 1}));
}

}  // namespace
}  // namespace sweep
