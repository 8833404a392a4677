#include "data/synthetic.h"

#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "sweep/base/random.h"

namespace sweep {
namespace {

struct Noun {
  std::string_view word;
  std::string_view pronoun;
};

// No word is a prefix of a neighbour in its list plus a space, so a sentence can be read back into
// its choices: its information is exactly the sum of their logarithms.
constexpr std::array<std::string_view, 8> kAdjectives = {"old",   "young", "small", "quiet",
                                                         "brave", "tired", "happy", "clever"};
constexpr std::array<Noun, 12> kNouns = {{{"king", "he"},
                                          {"queen", "she"},
                                          {"boat", "it"},
                                          {"father", "he"},
                                          {"mother", "she"},
                                          {"river", "it"},
                                          {"uncle", "he"},
                                          {"aunt", "she"},
                                          {"window", "it"},
                                          {"brother", "he"},
                                          {"sister", "she"},
                                          {"garden", "it"}}};
constexpr std::array<std::string_view, 8> kVerbs = {"sees",    "finds", "follows", "remembers",
                                                    "watches", "helps", "leaves",  "forgets"};
constexpr std::array<std::string_view, 8> kEndings = {"sleeps", "sings",  "waits", "smiles",
                                                      "rests",  "shines", "turns", "goes home"};

template <typename List>
const auto& pick(const List& list, RandomStream& stream) {
  return list[stream.below(list.size())];
}

/// the ADJ NOUN VERB the ADJ NOUN and PRONOUN ENDING .
std::string sentence(RandomStream& stream) {
  std::string text = "the ";
  text += pick(kAdjectives, stream);
  const Noun& subject = pick(kNouns, stream);
  text.append(" ").append(subject.word).append(" ").append(pick(kVerbs, stream)).append(" the ");
  text.append(pick(kAdjectives, stream)).append(" ").append(pick(kNouns, stream).word);
  text.append(" and ").append(subject.pronoun).append(" ").append(pick(kEndings, stream));
  return text + ".\n";
}

template <typename List, typename Length>
double mean_length(const List& list, Length length) {
  double sum = 0;
  for (const auto& entry : list) sum += static_cast<double>(length(entry));
  return sum / static_cast<double>(list.size());
}

}  // namespace

std::string synthetic_text(std::int64_t chars) {
  RandomStream stream(0, "synthetic-text");
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < chars) text += sentence(stream);
  return text;
}

double synthetic_entropy() {
  const auto word = [](std::string_view w) { return w.size(); };
  const auto noun = [](const Noun& n) { return n.word.size(); };
  const auto pronoun = [](const Noun& n) { return n.pronoun.size(); };
  const double information = 2 * std::log(kAdjectives.size()) + 2 * std::log(kNouns.size()) +
                             std::log(kVerbs.size()) + std::log(kEndings.size());
  constexpr auto kFixed = static_cast<double>(std::string_view("the    the   and  .\n").size());
  const double length = kFixed + 2 * mean_length(kAdjectives, word) +
                        2 * mean_length(kNouns, noun) + mean_length(kVerbs, word) +
                        mean_length(kNouns, pronoun) + mean_length(kEndings, word);
  return information / length;
}

}  // namespace sweep
