#include "data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

namespace sweep {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(SyntheticText, IsTheSameEachTime) {
  EXPECT_EQ(synthetic_text(1000), synthetic_text(1000));
  EXPECT_EQ(synthetic_text(5000).substr(0, 900), synthetic_text(1000).substr(0, 900));
}

// The plug-in entropy of each word slot, over the mean sentence length, nears the stated rate.
TEST(SyntheticText, HasTheStatedEntropy) {
  std::istringstream text(synthetic_text(400'000));
  std::map<std::size_t, std::map<std::string, double>> slots;
  double sentences = 0;
  double chars = 0;
  for (std::string line; std::getline(text, line); ++sentences) {
    const auto words = words_of(line);
    chars += static_cast<double>(line.size()) + 1;
    for (const std::size_t slot : {1U, 2U, 3U, 5U, 6U, 9U}) ++slots[slot][words.at(slot)];
  }
  double information = 0;
  for (const auto& [slot, counts] : slots) {
    for (const auto& [word, n] : counts) {
      information -= n / sentences * std::log(n / sentences);
    }
  }
  EXPECT_NEAR(information / (chars / sentences), synthetic_entropy(), 0.003);
}

TEST(SyntheticText, PronounAgreesWithTheFirstNoun) {
  std::istringstream text(synthetic_text(50'000));
  std::map<std::string, std::string> pronoun_of;
  for (std::string line; std::getline(text, line);) {
    const auto words = words_of(line);
    const auto [entry, fresh] = pronoun_of.emplace(words.at(2), words.at(8));
    EXPECT_EQ(entry->second, words.at(8)) << line;
  }
  EXPECT_EQ(pronoun_of.size(), 12U);
}

}  // namespace
}  // namespace sweep
