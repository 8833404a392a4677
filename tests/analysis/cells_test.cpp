#include "sweep/analysis/cells.h"

#include <gtest/gtest.h>

#include "analysis/study_builder.h"
#include "sweep/analysis/losses.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(Group, OrdersStrataArmsRatesAndSeedsWhateverTheOrderOfRuns) {
  StudyBuilder study;
  study.run("qknorm", 4, 1e-2, 2, 2.0).run("base", 2, 1e-2, 1, 2.0).run("base", 4, 1e-3, 1, 2.0);
  study.run("qknorm", 4, 1e-2, 1, 2.0).run("qknorm", 4, 1e-3, 1, 2.0);
  const auto curves = study.curves();
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_EQ(to_words(curves[0].stratum), "n_layer 2");
  EXPECT_EQ(curves[1].arm, "base");
  EXPECT_EQ(curves[2].arm, "qknorm");
  ASSERT_EQ(curves[2].cells.size(), 2U);
  EXPECT_EQ(curves[2].cells[0].x, 1e-3);
  EXPECT_EQ(curves[2].cells[1].runs[0].seed, 1U);
  EXPECT_EQ(curves[2].cells[1].runs[1].seed, 2U);
  EXPECT_EQ(seeds_of(curves[2]), (std::vector<std::uint64_t>{1, 2}));
}

TEST(Group, LeavesOtherBlocksOut) {
  StudyBuilder study;
  study.run("base", 2, 1e-2, 1, 2.0).run("base", 2, 1e-2, 2, 2.0);
  study.records().back().spec.block = "robustness";
  EXPECT_EQ(study.curves()[0].cells[0].runs.size(), 1U);
}

TEST(Group, NeedsAnAxisThatIsANumber) {
  StudyBuilder study;
  study.run("base", 2, 1e-2, 1, 2.0);
  study.prereg().roles.axis = "model.qk_norm";
  EXPECT_THROW(static_cast<void>(study.curves()), Error);
  study.prereg().roles.axis = "model.n_embd";
  EXPECT_EQ(study.curves()[0].cells[0].x, 64);
}

TEST(Group, WithoutStrataIsOneCurvePerArm) {
  StudyBuilder study;
  study.prereg().roles.strata.clear();
  study.run("base", std::nullopt, 1e-2, 1, 2.0).run("qknorm", std::nullopt, 1e-2, 1, 2.0);
  const auto curves = study.curves();
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(to_words(curves[0].stratum), "");
  EXPECT_EQ(to_json(curves[0].stratum), nullptr);
}

TEST(Stratum, OfALinkedGroupReadsAsItsSettings) {
  const Stratum stratum{{{"size", {{"model.n_layer", 2}, {"model.n_embd", 672}}}}};
  EXPECT_EQ(to_words(stratum), "n_layer 2, n_embd 672");
  EXPECT_EQ(to_json(stratum).dump(), R"({"model.n_layer":2,"model.n_embd":672})");
  const Stratum two{{{"model.n_layer", 2}, {"train.weight_decay", 0.05}}};
  EXPECT_EQ(to_words(two), "n_layer 2, weight_decay 0.05");
  EXPECT_EQ(to_json(two).dump(), R"({"model.n_layer":2,"train.weight_decay":0.05})");
}

TEST(FloorKey, TellsApartWhatIsEvaluated) {
  RunSpec spec;
  spec.data = StudyBuilder::facts();
  const std::string key = floor_key(spec);
  RunSpec longer = spec;
  longer.config.model.block_size = 256;
  EXPECT_NE(floor_key(longer), key);
  RunSpec padded = spec;
  padded.config.model.vocab_size = 128;
  EXPECT_NE(floor_key(padded), key);
  padded.config.model.vocab_size = 65;
  EXPECT_EQ(floor_key(padded), key);
}

TEST(SeedMean, IsInfiniteWithANonFiniteRunAndUnknownWithAMissingOne) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0})
      .cell("base", 2, 1e-2, {2.0, kNan})
      .cell("base", 2, 1e-1, {2.0, std::nullopt});
  const auto cells = study.curves()[0].cells;
  EXPECT_EQ(seed_mean(cells[0]), 2.5);
  EXPECT_TRUE(std::isinf(seed_mean(cells[1]).value()));
  EXPECT_EQ(seed_mean(cells[2]), std::nullopt);
}

TEST(BestCell, IsTheLowestMeanOfCompleteCellsWithTiesToTheLowerRate) {
  StudyBuilder study;
  study.cell("base", 2, 1e-4, {1.0, std::nullopt})
      .cell("base", 2, 1e-3, {2.0, 2.5})
      .cell("base", 2, 1e-2, {2.5, 2.0})
      .cell("base", 2, 1e-1, {2.9, 2.9});
  EXPECT_EQ(best_cell(study.curves()[0]), (BestCell{1, 1e-3, 2.25}));
}

TEST(FinalLoss, AveragesFinishedRunsAndRefusesToAverageOverNonFiniteOnes) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {2.0, 3.0, 4.0})
      .cell("base", 2, 1e-2, {2.0, kNan, 2.0})
      .cell("base", 2, 1e-1, {2.0, std::nullopt, std::nullopt})
      .cell("base", 2, 3e-1, {std::nullopt});
  const auto cells = study.curves()[0].cells;
  EXPECT_EQ(std::get<Spread>(final_loss_of(cells[0])), (Spread{3, 3.0, 2.0, 4.0, 1.0}));
  EXPECT_EQ(std::get<Undefined>(final_loss_of(cells[1])).reason, "1 of 3 runs non-finite");
  EXPECT_EQ(std::get<Spread>(final_loss_of(cells[2])), (Spread{1, 2.0, 2.0, 2.0, std::nullopt}));
  EXPECT_EQ(std::get<Undefined>(final_loss_of(cells[3])).reason, "no run finished");
}

TEST(Perplexity, OfTheMeanLossIsTheGeometricMean) {
  const double geometric = std::sqrt(std::exp(2.0) * std::exp(3.0));
  EXPECT_NEAR(perplexity(2.5), geometric, 1e-12);
}

TEST(BitsPerCharacter, DividesByTheCharactersOfAToken) {
  EXPECT_DOUBLE_EQ(bits_per_character(std::log(2.0), 1), 1);
  EXPECT_DOUBLE_EQ(bits_per_character(std::log(16.0), 2), 2);
}

}  // namespace
}  // namespace sweep
