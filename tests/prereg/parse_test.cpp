#include <gmock/gmock.h>

#include <algorithm>

#include "prereg/sample.h"
#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/version.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::filesystem::path root() { return source_folder(); }

std::string error_of_load(const std::filesystem::path& file, bool allow_placeholders = false) {
  try {
    load_prereg(file, allow_placeholders);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
    return e.what();
  }
  return "";
}

TEST(ParsePrereg, ReadsTheStudy) {
  const Prereg p = load_prereg(root() / "tests/data/prereg_example.yaml");
  EXPECT_EQ(p.title, "When does a small language model need QK-norm?");
  EXPECT_THAT(p.question, StartsWith("Below 100M parameters, does QK-norm alone"));
  ASSERT_EQ(p.arms.size(), 2U);
  EXPECT_EQ(p.arms[1].settings.front().second, Value(std::string("rms_per_head")));
  EXPECT_THAT(p.seeds, ElementsAre(1U, 2U, 3U));
  EXPECT_EQ(p.roles.axis, "train.learning_rate");
  EXPECT_THAT(p.roles.strata, ElementsAre("model.n_layer"));
  EXPECT_EQ(p.base.model.n_embd, 256);
  EXPECT_EQ(p.base.measure.mechanism_iters.size(), 6U);
  EXPECT_EQ(p.definitions, [&] {
    Definitions d = default_definitions();
    d.ranges = p.definitions.ranges;
    d.gap = p.definitions.gap;
    d.convergence = p.definitions.convergence;
    return d;
  }());
  EXPECT_EQ(p.definitions.ranges,
            (std::vector<Definitions::Range>{{"low", 3e-4, 1e-3}, {"high", 3e-2, 3e-1}}));
  EXPECT_EQ(p.hypotheses.size(), 3U);
  EXPECT_EQ(p.hypotheses["H3"]["supported_if"]["all"][1].dump(),
            R"({"test":"page_l","quantity":"necessity_lr","across":"model.n_layer",)"
            R"("trend":"falling","p_at_most":0.05})");
  EXPECT_EQ(p.analysis["correction"]["family"].size(), 3U);
  EXPECT_EQ(p.pilot["seeds"], Json({901, 902}));
  EXPECT_EQ(p.robustness["change"].size(), 3U);
}

TEST(ParsePrereg, ReportsTenMistakesAtOnce) {
  const auto file = root() / "tests/data/ten_mistakes.yaml";
  const std::string text = read_file(file);
  const ParsedPrereg parsed = parse_prereg(text, file);
  EXPECT_EQ(render_problems(parsed.problems, text, "ten_mistakes.yaml"),
            read_file(root() / "tests/golden/ten_mistakes.txt"));
  EXPECT_THAT(
      in_lines(parsed.placeholders),
      ElementsAre("11:9 seed: is undecided", "22:88 hypotheses.H1.contradicted_if: is undecided"));
}

TEST(ParsePrereg, SortsLevelsAndSeeds) {
  const Prereg p = parsed(sample_with("[1e-3, 1e-2]\n  seed: [1]", "[1e-2, 1E-3]\n  seed: [7, 1]"));
  EXPECT_EQ(p.grid[0].levels, (std::vector<std::vector<Value>>{{1e-3}, {1e-2}}));
  EXPECT_THAT(p.seeds, ElementsAre(1U, 7U));
}

TEST(ParsePrereg, TakesEveryFormOfAValue) {
  const Prereg p =
      parsed(kSample +
             "model: {bias: on, tie_weights: off, dropout: .5, n_embd: 64, n_head: 2}\n"
             "measure:\n  mechanism: [qk_rms, \"attention_entropy\"]\n"
             "  mechanism_iters: [0, 5]\n"
             "execution: {max_retries: 5, hang_seconds: 30}\n");
  EXPECT_TRUE(p.base.model.bias);
  EXPECT_FALSE(p.base.model.tie_weights);
  EXPECT_EQ(p.base.model.dropout, 0.5);
  EXPECT_THAT(p.base.measure.mechanism, ElementsAre("qk_rms", "attention_entropy"));
  EXPECT_THAT(p.base.measure.mechanism_iters, ElementsAre(0, 5));
  EXPECT_EQ(p.execution.max_retries, 5);
  EXPECT_EQ(p.execution.hang_seconds, 30);
  EXPECT_EQ(p.execution.checkpoint_seconds, 60);
}

TEST(ParsePrereg, LetsAnArmTakeTheFixedSettings) {
  const Prereg p = parsed(sample_with("base: {model.qk_norm: none}", "base: {}"));
  EXPECT_THAT(p.arms[0].settings, IsEmpty());
}

TEST(ParsePrereg, LetsArmsDifferInTwoFieldsForAReason) {
  const Prereg p = parsed(sample_with("rms_per_head}", "rms_per_head, model.bias: true}") +
                          "arms_reason: the two belong together\n");
  EXPECT_EQ(p.arms_reason, "the two belong together");
  EXPECT_EQ(p.arms[1].settings.front().first, "model.bias");
}

TEST(ParsePrereg, GivesEveryLineButTheAxisToTheStrata) {
  const Prereg p = parsed(sample_with("  seed: [1]",
                                      "  model.n_layer: [1, 2]\n"
                                      "  size: [{model.n_embd: 64, model.n_head: 2}]\n"
                                      "  seed: [1]"));
  EXPECT_THAT(p.roles.strata, ElementsAre("model.n_layer", "size"));
  EXPECT_EQ(p.grid[2].paths, (std::vector<std::string>{"model.n_head", "model.n_embd"}));
}

TEST(ParsePrereg, LetsAnAbsoluteFloorReplaceTheRelativeOne) {
  EXPECT_EQ(parsed(kSample).base.train.min_lr_ratio, 0.1);
  const Prereg p = parsed(sample_with("max_iters: 10", "max_iters: 10, min_lr: 1e-4"));
  EXPECT_EQ(p.base.train.min_lr_ratio, 0);
  EXPECT_EQ(p.base.train.min_lr, 1e-4);
}

TEST(ParsePrereg, CollectsUndecidedPlacesApartFromProblems) {
  std::string text = sample_with("[1e-3, 1e-2]", "[ ]");
  text.replace(text.find("question: Q"), 11, "question: TODO: ask");
  const std::string colon = text;
  text.replace(text.find("TODO: ask"), 9, "TODO ask");
  text += "model: {n_layer: \"?\", dropout: TODO}\n";
  const ParsedPrereg result = parse_prereg(text, "sample.yaml");
  EXPECT_THAT(in_lines(result.problems), IsEmpty());
  EXPECT_THAT(
      in_lines(result.placeholders),
      ElementsAre("2:11 question: is undecided", "7:24 train.learning_rate: is undecided",
                  "11:18 model.n_layer: is undecided", "11:32 model.dropout: is undecided"));
}

TEST(LoadPrereg, RefusesPlaceholdersUnlessTheyAreAllowed) {
  const TemporaryFolder folder;
  publish(folder / "open.yaml", sample_with("max_iters: 10", "max_iters: TODO"));
  EXPECT_THAT(error_of_load(folder / "open.yaml"),
              HasSubstr("open.yaml:10:20: train.max_iters: is undecided\n"
                        "    train: {max_iters: TODO}\n"
                        "                       ^\n1 problem"));
  EXPECT_EQ(error_of_load(folder / "open.yaml", true), "");
}

TEST(LoadPrereg, NamesAFolderOrAMissingFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of_load(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(error_of_load(folder / "none.yaml"), HasSubstr("none.yaml"));
}

TEST(LoadPrereg, RemembersTheFolderForDataFiles) {
  const TemporaryFolder folder;
  publish(folder / "a.yaml", kSample);
  EXPECT_EQ(load_prereg(folder / "a.yaml").folder, folder.path());
}

TEST(RenderProblems, CutsALongLineAroundThePlace) {
  const std::string text = "x: " + std::string(200, 'a') + "B" + std::string(200, 'c') + "\n";
  const std::string shown = render_problems({{1, 204, "x", "is long"}}, text, "f.yaml");
  EXPECT_THAT(shown, StartsWith("f.yaml:1:204: x: is long\n    ... aaa"));
  const auto caret = shown.rfind('^') - shown.rfind('\n', shown.size() - 2) - 1;
  const auto line = shown.find('\n') + 1;
  EXPECT_EQ(shown[line + caret], 'B');
}

}  // namespace
}  // namespace sweep
