#include <gmock/gmock.h>

#include <algorithm>

#include "report/mechanism_text.h"
#include "report/report_builder.h"
#include "support/golden.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Numbers that follow from arm, rate and seed, so that a reader can check a table by hand: logits
/// of base are (rate * 1e4)^2 + seed, of qknorm 4 + seed / 10.
std::vector<RunSeries> small_series(const StudyBuilder& study) {
  std::vector<RunSeries> all;
  for (const RunRecord& record : study.records()) {
    if (!record.result) continue;
    RunSeries series;
    series.id = record.spec.id;
    const bool base = record.spec.arm == "base";
    const double x = record.spec.config.train.learning_rate * 1e4;
    const auto seed = static_cast<double>(record.spec.seed);
    const double logit = base ? x * x + seed : 4 + seed / 10;
    for (const auto& [step, share] :
         {std::pair<std::int64_t, double>(0, 0.001), {50, 1}, {100, 1}}) {
      series.evaluations.push_back({step, step == 100 ? record.result->final_val_loss : 4.0});
      if (step == 100 && std::isnan(record.result->final_val_loss)) continue;
      series.mechanism.push_back({step,
                                  {{"max_attention_logit", share * logit},
                                   {"max_attention_logit/L0", share * logit},
                                   {"max_attention_logit/L0/H0", share * logit},
                                   {"attention_entropy", 3 / (1 + share * logit / 100)},
                                   {"attention_entropy/min", 3 / (1 + share * logit / 10)},
                                   {"qk_rms", std::sqrt(share * logit)}}});
    }
    for (std::int64_t step = 1; step <= 3; ++step) {
      series.updates.push_back({step, 4.0 - 0.5 * static_cast<double>(step),
                                static_cast<double>(step) * (base ? 2 : 1)});
    }
    all.push_back(std::move(series));
  }
  return all;
}

Report measured_report(const StudyBuilder& study = small_study()) {
  return report_on(study, 0, small_series(study));
}

const std::vector<std::string> kInnerTables = {"mechanism-n_layer-2", "mechanism-crossings",
                                               "mechanism-thresholds", "training-health"};

std::string names_of(const Report& report) {
  std::string names;
  for (const Table& table : report.tables) names += table.name + " ";
  for (const Figure& figure : report.figures) names += figure.name + " ";
  return names;
}

TEST(MechanismReport, OfASmallStudyIsTheGoldenOne) {
  const Report report = measured_report();
  std::string text;
  for (const std::string& name : kInnerTables) {
    text += to_terminal(table_named(report, name), {100, true}) + "\n";
  }
  expect_golden("report/mechanism.txt", text);
  Json json = report_json(report);
  expect_golden("report/mechanism.json",
                to_text({{"mechanism", json.at("mechanism")},
                         {"training_health", json.at("training_health")}}));
}

TEST(MechanismReport, DrawsLogitsAndEntropyOfEveryStratum) {
  const Report report = measured_report();
  ASSERT_EQ(report.figures.size(), 3U);
  EXPECT_EQ(report.figures[1].name, "max-logit-n_layer-2");
  EXPECT_EQ(report.figures[2].name, "min-entropy-n_layer-2");
  expect_golden("report/max-logit.gp", gnuplot_script(report.figures[1]));
  EXPECT_THAT(gnuplot_script(report.figures[2]), HasSubstr("set logscale y"));
  EXPECT_THAT(gnuplot_script(report.figures[0]), Not(HasSubstr("set logscale y")));
}

TEST(MechanismReport, DrawsWhatIsBeyondTheAxisAtItsEdge) {
  const StudyBuilder study = small_study();
  std::vector<RunSeries> series = small_series(study);
  series[0].mechanism.back().values[0].second = std::numeric_limits<double>::infinity();
  series[1].mechanism.back().values[0].second = -3;
  const Figure figure = report_on(study, 0, series).figures.at(1);
  EXPECT_EQ(figure.series[0].points[0], (FigurePoint{1e-3, 1e7, true, false}));
  EXPECT_EQ(figure.series[0].points[1], (FigurePoint{1e-3, 1e-2, true, false}));
  EXPECT_THAT(gnuplot_script(figure), Not(HasSubstr("inf")));
}

TEST(MechanismReport, IsAbsentWhereNothingWasMeasured) {
  const Report report = report_on(small_study());
  for (const std::string& name : kInnerTables) EXPECT_THAT(names_of(report), Not(HasSubstr(name)));
  EXPECT_EQ(report.figures.size(), 1U);
  const Json json = report_json(report);
  EXPECT_TRUE(json.at("mechanism").is_null());
  EXPECT_TRUE(json.at("training_health").empty());
}

TEST(MechanismReport, ShowsTrainingHealthWithoutTheMechanism) {
  const StudyBuilder study = small_study();
  std::vector<RunSeries> series = small_series(study);
  for (RunSeries& one : series) one.mechanism.clear();
  const Report report = report_on(study, 0, series);
  EXPECT_THAT(names_of(report), HasSubstr("training-health"));
  EXPECT_THAT(names_of(report), Not(HasSubstr("mechanism")));
}

TEST(MechanismReport, StampsWhatIsUnfinished) {
  StudyBuilder study = small_study();
  study.records()[4].result.reset();
  const Report report = measured_report(study);
  EXPECT_EQ(table_named(report, "mechanism-n_layer-2").stamp, "INTERIM: 11 of 12 runs");
  EXPECT_EQ(report.figures[1].stamp, "INTERIM: 11 of 12 runs");
  EXPECT_EQ(report.figures[1].series[0].line[1].second, std::nullopt);
}

TEST(SizedText, HasAboutThreeDigitsWhateverTheSize) {
  std::vector<std::string> texts;
  for (const double value :
       {0.0, 0.0068, 0.26, 2.379, 28.14, 388.7, 999.7, 38700.0, 6.8e-5, -1.5}) {
    texts.push_back(sized_text(value));
  }
  EXPECT_THAT(texts, ElementsAre("0", "0.0068", "0.26", "2.38", "28.1", "389", "1.0e3", "3.9e4",
                                 "6.8e-5", "-1.50"));
  EXPECT_EQ(sized_text(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace sweep
