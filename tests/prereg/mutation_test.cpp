#include <gtest/gtest.h>

#include "prereg/sample.h"
#include "sweep/base/files.h"
#include "sweep/base/random.h"
#include "sweep/base/version.h"

namespace sweep {
namespace {

constexpr std::string_view kSyntax = "{}[]:,-#&*!|>'\"%@` \n\t?~<0123456789eE.";

/// One random edit: a byte changed, removed, doubled or put in, or a stretch moved.
void mutate(std::string& text, RandomStream& random) {
  const auto at = [&] { return static_cast<std::size_t>(random.below(text.size())); };
  const auto letter = [&] {
    return random.below(4) == 0 ? static_cast<char>(random.below(256))
                                : kSyntax[random.below(kSyntax.size())];
  };
  switch (random.below(5)) {
    case 0:
      text[at()] = letter();
      break;
    case 1:
      text.erase(at(), 1 + random.below(8));
      break;
    case 2:
      text.insert(at(), 1, letter());
      break;
    case 3:
      text.insert(at(), text.substr(at(), random.below(40)));
      break;
    default:
      text.insert(at(), std::string(1 + random.below(4), letter()));
  }
}

void expect_sound(const ParsedPrereg& parsed, const std::string& text) {
  for (const Problem& problem : parsed.problems) {
    EXPECT_GE(problem.line, 1);
    EXPECT_GE(problem.column, 1);
    EXPECT_FALSE(problem.message.empty());
  }
  EXPECT_EQ(render_problems(parsed.problems, text, "f.yaml").empty(), parsed.problems.empty());
  if (parsed.problems.empty()) canonical(parsed.prereg);
}

TEST(ParsePrereg, SurvivesAnyEdit) {
  const std::string study =
      read_file(std::filesystem::path(source_folder()) / "tests/data/prereg_example.yaml");
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    RandomStream random(trial, "mutation");
    std::string text = trial % 3 == 0 ? kSample : study;
    for (std::uint64_t edit = 0; edit <= trial % 5; ++edit) mutate(text, random);
    SCOPED_TRACE(trial);
    expect_sound(parse_prereg(text, "f.yaml"), text);
  }
}

}  // namespace
}  // namespace sweep
