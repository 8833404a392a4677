#include <gtest/gtest.h>

#include <sstream>

#include "report/text_layout.h"
#include "sweep/base/text.h"
#include "sweep/report/table.h"

namespace sweep {
namespace {

Table sample() {
  Table table;
  table.name = "sample";
  table.title = "A sample";
  table.note = "In nats.";
  table.columns = {{"x", "LR", "", Align::kRight},
                   {"base_loss", "loss", "base", Align::kRight},
                   {"base_word", "word", "base", Align::kLeft},
                   {"qknorm_loss", "loss", "qknorm", Align::kRight},
                   {"qknorm_word", "word", "qknorm", Align::kLeft}};
  table.rows = {{{"1e-3", 1e-3}, {"2.000", 2.0}, {"ok", "ok"}, {"–", nullptr}, {"", ""}},
                {{"1e-2", 1e-2}, {"12.500", 12.5}, {"a, b", "a, b"}, {"1.5", 1.5}, {"x|y", "x|y"}}};
  return table;
}

std::string terminal(const Table& table, std::size_t width, bool utf8 = true) {
  return to_terminal(table, {width, utf8});
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t widest = 0;
  while (std::getline(lines, line)) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(Terminal, AlignsColumnsUnderTheirHeadings) {
  EXPECT_EQ(terminal(sample(), 100),
            "A sample\n"
            "      base          qknorm\n"
            "  LR    loss  word  loss  word\n"
            "────  ──────  ────  ────  ────\n"
            "1e-3   2.000  ok       –\n"
            "1e-2  12.500  a, b   1.5  x|y\n"
            "In nats.\n");
}

TEST(Terminal, PrintsGroupsBelowEachOtherWhenTooWide) {
  EXPECT_EQ(terminal(sample(), 25),
            "A sample\n"
            "      base\n"
            "  LR    loss  word\n"
            "────  ──────  ────\n"
            "1e-3   2.000  ok\n"
            "1e-2  12.500  a, b\n"
            "\n"
            "      qknorm\n"
            "  LR  loss  word\n"
            "────  ────  ────\n"
            "1e-3     –\n"
            "1e-2   1.5  x|y\n"
            "In nats.\n");
}

TEST(Terminal, WrapsTheLastColumnOfWordsAndTheNote) {
  Table table;
  table.title = "Words";
  table.columns = {{"a", "a", "", Align::kLeft}, {"b", "b", "", Align::kLeft}};
  table.rows = {{{"one", "one"}, {"some words that need more room than there is", ""}}};
  table.note = "A note that needs more than one line as well, being long.";
  const std::string text = terminal(table, 32);
  EXPECT_LE(widest_line(text), 32U);
  EXPECT_NE(text.find("one  some words that need more\n     room than there is\n"),
            std::string::npos)
      << text;
}

TEST(Terminal, FallsBackToAscii) {
  Table table = sample();
  table.note = "≥ 1 ± 2 – 3";
  const std::string text = terminal(table, 100, false);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; }));
  EXPECT_NE(text.find(">= 1 +- 2 - 3"), std::string::npos);
}

TEST(Terminal, StampsTheTitle) {
  Table table = sample();
  table.stamp = "INTERIM: 1 of 2 runs";
  EXPECT_EQ(terminal(table, 100).find("A sample  [INTERIM: 1 of 2 runs]\n"), 0U);
}

TEST(Printers, LeaveOutAColumnThatSaysNothing) {
  Table table = sample();
  for (auto& row : table.rows) row[4] = {"", ""};
  EXPECT_EQ(shown_columns(table), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(to_markdown(table).find("qknorm word"), std::string::npos);
  EXPECT_NE(to_csv(table).find("qknorm_word"), std::string::npos);  // programs get every column
}

TEST(Markdown, IsAGithubTable) {
  Table table = sample();
  table.stamp = "INTERIM: 1 of 2 runs";
  EXPECT_EQ(to_markdown(table),
            "## A sample\n\n"
            "**INTERIM: 1 of 2 runs**\n\n"
            "| LR | base loss | base word | qknorm loss | qknorm word |\n"
            "| --: | --: | :-- | --: | :-- |\n"
            "| 1e-3 | 2.000 | ok | – |  |\n"
            "| 1e-2 | 12.500 | a, b | 1.5 | x\\|y |\n"
            "\nIn nats.\n");
}

TEST(Markdown, EscapesWhatWouldBeFormatting) {
  Table table;
  table.title = "n_layer *2*";
  table.columns = {{"a", "<b>", "", Align::kLeft}};
  EXPECT_EQ(to_markdown(table), "## n\\_layer \\*2\\*\n\n| \\<b> |\n| :-- |\n");
}

TEST(Csv, HoldsValuesInFullPrecision) {
  Table table;
  table.columns = {{"x", "", "", Align::kLeft},
                   {"third", "", "", Align::kLeft},
                   {"list", "", "", Align::kLeft},
                   {"words", "", "", Align::kLeft}};
  table.rows = {
      {{"1", 1}, {"0.333", 1.0 / 3}, {"..", Json::array({0.5, nullptr})}, {"", "say \"a, b\""}},
      {{"", nullptr}, {"", true}, {"", Json::array()}, {"", nullptr}}};
  EXPECT_EQ(to_csv(table),
            "x,third,list,words\n"
            "1,0.3333333333333333,0.5 null,\"say \"\"a, b\"\"\"\n"
            ",true,,\n");
}

TEST(Csv, StampsEveryRow) {
  Table table = sample();
  table.stamp = "INTERIM: 1 of 2 runs";
  EXPECT_EQ(to_csv(table),
            "x,base_loss,base_word,qknorm_loss,qknorm_word,stamp\n"
            "1e-3,2,ok,,,INTERIM: 1 of 2 runs\n"
            "0.01,12.5,\"a, b\",1.5,x|y,INTERIM: 1 of 2 runs\n");
}

TEST(TableJson, NamesEveryValueByItsColumn) {
  const Json json = to_json(sample());
  EXPECT_EQ(json["name"], "sample");
  EXPECT_FALSE(json.contains("stamp"));
  EXPECT_EQ(json["columns"].size(), 5U);
  EXPECT_EQ(json["rows"][1].dump(),
            R"({"x":0.01,"base_loss":12.5,"base_word":"a, b","qknorm_loss":1.5,)"
            R"("qknorm_word":"x|y"})");
}

}  // namespace
}  // namespace sweep
