#include "sweep/report/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "report/report_builder.h"
#include "support/golden.h"

namespace sweep {
namespace {

Figure figure_of(const StudyBuilder& study) { return report_on(study).figures.at(0); }

const FigureSeries& series_of(const Figure& figure, const std::string& arm) {
  for (const FigureSeries& series : figure.series) {
    if (series.arm == arm) return series;
  }
  throw std::runtime_error("no series " + arm);
}

/// Heights at which the labels of levels are written.
std::vector<double> label_heights(const std::string& script) {
  const std::regex label("set label '[^']*' at graph 1.012,first ([0-9.]+)");
  std::vector<double> heights;
  for (auto at = std::sregex_iterator(script.begin(), script.end(), label);
       at != std::sregex_iterator(); ++at) {
    heights.push_back(std::stod((*at)[1]));
  }
  return heights;
}

TEST(Figure, OfASmallStudyIsTheGoldenScript) {
  expect_golden("report/small.gp", gnuplot_script(figure_of(small_study())));
}

TEST(Figure, DrawsEverySeedAndMarksTheUnusable) {
  const Figure figure = figure_of(small_study());
  EXPECT_EQ(series_of(figure, "base").points, (std::vector<FigurePoint>{{1e-3, 2.0, false, false},
                                                                        {1e-3, 2.2, false, false},
                                                                        {1e-2, 2.3, false, false},
                                                                        {1e-2, 2.5, false, true},
                                                                        {1e-1, 4.0, true, true},
                                                                        {1e-1, 4.0, true, true}}));
}

TEST(Figure, LeadsItsLineThroughTheMeansThatSensitivityAverages) {
  const auto line = series_of(figure_of(small_study()), "base").line;
  ASSERT_EQ(line.size(), 3U);
  EXPECT_NEAR(line[0].second.value(), 2.1, 1e-12);
  EXPECT_NEAR(line[2].second.value(), 4.0, 1e-12);  // both capped at the initial loss
}

TEST(Figure, BreaksItsLineWhereARunIsMissing) {
  StudyBuilder study = small_study();
  study.records()[4].result.reset();
  const Figure figure = figure_of(study);
  EXPECT_EQ(series_of(figure, "base").line[1].second, std::nullopt);
  EXPECT_EQ(series_of(figure, "base").points.size(), 5U);
}

TEST(Figure, NamesFloorsAndTheInitialLoss) {
  std::vector<std::string> labels;
  for (const FigureLevel& level : figure_of(small_study()).levels) labels.push_back(level.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"initial loss 4.00", "uniform 4.17", "unigram 3.35",
                                              "bigram 2.48"}));
}

TEST(Figure, KeepsLabelsApartThatWouldCoverEachOther) {
  StudyBuilder study = small_study();
  study.floors() = {4.001, 3.999, 3.998};
  auto heights = label_heights(gnuplot_script(figure_of(study)));
  ASSERT_EQ(heights.size(), 4U);
  std::sort(heights.begin(), heights.end());
  const double plot = (4.0 - 2.0) * 1.08;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    EXPECT_GT(heights[i] - heights[i - 1], 0.04 * plot);
  }
}

TEST(Figure, CanBeDrawnBeforeAnythingIsKnown) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, std::nullopt);
  const std::string script = gnuplot_script(figure_of(study));
  EXPECT_EQ(script.find("inf"), std::string::npos);
  EXPECT_EQ(script.find("[nan"), std::string::npos);
}

TEST(Figure, HasALinearAxisWhereALevelHasNoLogarithm) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.0).run("base", 2, 1e-2, 1, 2.0);
  EXPECT_NE(gnuplot_script(figure_of(study)).find("set logscale x"), std::string::npos);
  for (RunRecord& record : study.records()) {
    record.spec.config.train.weight_decay = record.spec.config.train.learning_rate - 1e-3;
  }
  study.prereg().roles.axis = "train.weight_decay";
  const Figure figure = figure_of(study);
  EXPECT_EQ(gnuplot_script(figure).find("set logscale x"), std::string::npos);
  EXPECT_EQ(figure.x_label, "weight_decay");
}

TEST(Figure, QuotesNamesForGnuplot) {
  StudyBuilder study;
  study.prereg().arms[0].name = "don't";
  study.run("don't", 2, 1e-3, 1, 2.0);
  EXPECT_NE(gnuplot_script(figure_of(study)).find("title 'don''t'"), std::string::npos);
}

TEST(PolishedSvg, NamesTheFigureAndForgetsTheVersionOfGnuplot) {
  Figure figure = figure_of(small_study());
  figure.title = "a < b & c";
  const std::string svg =
      "<svg><title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc><g/></svg>";
  EXPECT_EQ(polished_svg(svg, figure),
            "<svg><title>a &lt; b &amp; c</title>\n<desc>The numbers stand in "
            "loss-n_layer-2.csv.</desc><g/></svg>");
}

}  // namespace
}  // namespace sweep
