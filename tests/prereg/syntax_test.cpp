#include <gmock/gmock.h>

#include "prereg/sample.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(YamlSyntax, PointsAtAByteOrderMarkAndReadsOn) {
  EXPECT_THAT(problems_of("\xEF\xBB\xBF" + sample_with("max_iters: 10", "max_iters: 0")),
              ElementsAre("1:1 the file begins with a byte order mark: save it without one",
                          "10:20 train.max_iters: must be at least 1, not 0"));
}

TEST(YamlSyntax, PointsAtWindowsLineEndsAndReadsOn) {
  const std::string text = sample_with("title: T\nquestion: Q\n", "title: T\r\nquestion: \r\n");
  EXPECT_THAT(problems_of(text),
              ElementsAre("1:9 Windows line ends (CRLF, 2 lines): save the file with LF",
                          "2:1 question: has no value: it must be a text"));
}

TEST(YamlSyntax, PointsAtTabs) {
  EXPECT_THAT(problems_of(sample_with("{max_iters: 10}", "{max_iters:\t10}")),
              ElementsAre("10:19 a tab: use spaces"));
  EXPECT_THAT(problems_of(sample_with("  seed: [1]", "\tseed: [1]")),
              ElementsAre("8:1 a tab: use spaces"));
}

TEST(YamlSyntax, RefusesWhatIsNoUtf8) {
  EXPECT_THAT(problems_of(sample_with("Q", "caf\xE9")),
              ElementsAre("2:14 byte 0xE9 is not UTF-8 text: save the file as UTF-8"));
  EXPECT_THAT(problems_of(sample_with("Q", std::string("\0", 1))),
              ElementsAre("2:11 control character 0x00: remove it"));
}

TEST(YamlSyntax, CountsColumnsInCharacters) {
  EXPECT_THAT(
      problems_of(sample_with("train: {max_iters: 10}", "train: {é: 1, max_iters: 0}")),
      ElementsAre(StartsWith("10:9 train.é"), "10:26 train.max_iters: must be at least 1, not 0"));
}

TEST(YamlSyntax, RefusesASecondDocument) {
  const std::string text = kSample + "---\ntitle: again\n";
  EXPECT_THAT(problems_of(text), ElementsAre(StartsWith("11:1 a second document begins here")));
  EXPECT_THAT(problems_of("---\n" + kSample + "...\n"), IsEmpty());
}

TEST(YamlSyntax, RefusesAnchorsAliasesAndTags) {
  const std::string text =
      sample_with("data: {corpus: synthetic}", "data: &d {corpus: synthetic}\nmodel: *d");
  EXPECT_THAT(problems_of(text),
              ElementsAre("9:7 anchors (&name) are not used here: remove it",
                          "10:1 model: has no value: it must be a map { }",
                          "10:8 aliases (*name) are not used here: write it out"));
  EXPECT_THAT(problems_of(sample_with("max_iters: 10", "max_iters: !!int 10")),
              ElementsAre("10:20 tags (!name) are not used here: remove it",
                          "10:20 train.max_iters: must be a whole number without quotes"));
}

TEST(YamlSyntax, FindsAQuoteThatIsNeverClosed) {
  EXPECT_THAT(problems_of(kSample + "arms_reason: 'it is\n"),
              ElementsAre("11:14 this quote is never closed"));
  EXPECT_THAT(problems_of(kSample + "arms_reason: \"a \\\" b\n"),
              ElementsAre("11:14 this quote is never closed"));
  EXPECT_THAT(problems_of(kSample + "arms_reason: 'it''s'\n"), IsEmpty());
}

/// The first syntax error of a text and nothing else.
struct Broken {
  const char* from;
  const char* to;
  const char* begins;
};

TEST(YamlSyntax, SaysWhereTheParserStopped) {
  const Broken all[] = {
      {"[1e-3, 1e-2]", "[1e-3, 1e-2", "8:7 a list in [ ] is not closed before this place"},
      {"max_iters: 10}", "max_iters: 10", "11:1 a map in { } is not closed before this place"},
      {"max_iters: 10", "max_iters: 10 beta1: 1", "10:28 a map in { } is not closed"},
      {"[1e-3, 1e-2]", "[1e-3, 1e-2}", "7:35 a bracket closes here that is not the one last"},
      {"title: T", "title: T: U", "1:9 a ':' where no value can stand"},
      {"title: T", "title: ?", "1:8 a '?' where no key can stand"},
      {"title: T", "title: @T", "1:8 no value can begin with this character"},
      {"title: T", "title: %T", "1:8 no value can begin with this character"},
      {"title: T", "title: \"\\q\"", "1:11 YAML syntax: unknown escape character: q"},
  };
  for (const Broken& broken : all) {
    EXPECT_THAT(problems_of(sample_with(broken.from, broken.to)),
                ElementsAre(StartsWith(broken.begins)));
  }
}

TEST(YamlSyntax, SurvivesAnyDepth) {
  EXPECT_THAT(problems_of("a: " + std::string(100'000, '[')),
              ElementsAre(testing::HasSubstr("lists or maps stand too deep in one another")));
}

TEST(YamlSyntax, RefusesAnEmptyFileAndOneThatIsNoMap) {
  EXPECT_THAT(problems_of(""), ElementsAre("1:1 the file is empty"));
  EXPECT_THAT(problems_of("# only a comment\n"), ElementsAre("1:1 the file is empty"));
  EXPECT_THAT(problems_of("- 1\n"),
              ElementsAre("1:1 the file must be a map: title: ..., arms: ..., grid: ..."));
}

}  // namespace
}  // namespace sweep
