#include "prereg/levels.h"

#include <gmock/gmock.h>

#include "prereg/sample.h"

namespace sweep {
namespace {

using testing::ElementsAre;

std::vector<double> rates(const std::string& form) {
  const Prereg prereg = parsed(sample_with("[1e-3, 1e-2]", form));
  std::vector<double> levels;
  for (const auto& level : prereg.grid.front().levels) {
    levels.push_back(std::get<double>(level.front()));
  }
  return levels;
}

std::vector<std::int64_t> depths(const std::string& form) {
  const Prereg prereg =
      parsed(sample_with("  seed: [1]", "  model.n_layer: " + form + "\n  seed: [1]"));
  std::vector<std::int64_t> levels;
  for (const auto& level : prereg.grid.back().levels) {
    levels.push_back(std::get<std::int64_t>(level.front()));
  }
  return levels;
}

TEST(Levels, OfDecadesAreExactlyTheNumbersAPersonTypes) {
  EXPECT_THAT(rates("{from: 3e-4, to: 3e-1, per_decade: [1, 1.7, 3, 5.5]}"),
              ElementsAre(3e-4, 5.5e-4, 1e-3, 1.7e-3, 3e-3, 5.5e-3, 1e-2, 1.7e-2, 3e-2, 5.5e-2,
                          1e-1, 1.7e-1, 3e-1));
  EXPECT_THAT(rates("{from: 1e-3, to: 1, per_decade: [1]}"), ElementsAre(1e-3, 1e-2, 1e-1, 1.0));
}

TEST(Levels, OfPointsAreSpreadOverTheLogarithmAndRounded) {
  EXPECT_THAT(
      rates("{from: 3e-4, to: 3e-1, points: 10}"),
      ElementsAre(3e-4, 6.46e-4, 1.39e-3, 3e-3, 6.46e-3, 1.39e-2, 3e-2, 6.46e-2, 1.39e-1, 3e-1));
  EXPECT_THAT(rates("{from: 1.2345e-3, to: 1, points: 2}"), ElementsAre(1.2345e-3, 1.0));
}

TEST(Levels, OfWholeFieldsAreWhole) {
  EXPECT_THAT(depths("{from: 2, to: 12, points: 4}"), ElementsAre(2, 4, 7, 12));
  EXPECT_THAT(depths("{from: 1, to: 100, per_decade: [1, 3]}"), ElementsAre(1, 3, 10, 30, 100));
  EXPECT_THAT(depths("[12, 2]"), ElementsAre(2, 12));
}

TEST(Levels, OfPointsThatRoundToTheSameNumberAreRefused) {
  EXPECT_THAT(problems_of(sample_with("  seed: [1]",
                                      "  model.n_layer: {from: 1, to: 2, points: 4}\n"
                                      "  seed: [1]")),
              ElementsAre("8:18 model.n_layer: level 1 stands here twice",
                          "8:18 model.n_layer: level 2 stands here twice"));
}

TEST(Levels, OfSwitchesWordsAndListsKeepTheirOrder) {
  const Prereg p = parsed(sample_with("  seed: [1]",
                                      "  model.bias: [true, off]\n"
                                      "  model.init: [nanogpt, fan_in]\n"
                                      "  measure.mechanism_iters: [[0], [0, 5]]\n"
                                      "  seed: [1]"));
  EXPECT_EQ(p.grid[1].levels, (std::vector<std::vector<Value>>{{true}, {false}}));
  EXPECT_EQ(p.grid[2].levels.front().front(), Value(std::string("nanogpt")));
  EXPECT_EQ(p.grid[3].levels.back().front(), Value(std::vector<std::int64_t>{0, 5}));
}

TEST(Levels, OfALinkedGroupSetSeveralFieldsAtOnce) {
  const Prereg p =
      parsed(sample_with("  seed: [1]",
                         "  size: [{model.n_layer: 2, model.n_embd: 672, model.n_head: 14},\n"
                         "         {model.n_embd: 288, model.n_head: 6, model.n_layer: 12}]\n"
                         "  seed: [1]"));
  EXPECT_THAT(p.grid[1].paths, ElementsAre("model.n_layer", "model.n_head", "model.n_embd"));
  using Whole = std::int64_t;
  EXPECT_EQ(p.grid[1].levels, (std::vector<std::vector<Value>>{{Whole{2}, Whole{14}, Whole{672}},
                                                               {Whole{12}, Whole{6}, Whole{288}}}));
}

}  // namespace
}  // namespace sweep
