#include "sweep/record/run_series.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunSeriesFile : public testing::Test {
 protected:
  RunSeriesFile() { std::filesystem::create_directory(run_.path); }

  RunSeries read(const std::string& lines) {
    publish(run_.metrics(), lines);
    return read_series(run_);
  }

  RunSeries read(const std::vector<MetricPoint>& points) {
    std::string lines;
    for (const MetricPoint& point : points) lines += to_line(to_json(point)) + "\n";
    return read(lines);
  }

  TemporaryFolder folder_;
  RunDir run_{folder_ / "base-s1"};
};

TEST_F(RunSeriesFile, IsSortedByKindOfMeasurement) {
  MetricPoint start{0, {}, {}, {}, 4.25, {{"qk_rms", 0.5}, {"qk_rms/q/L0", 0.25}}};
  MetricPoint update{1, 4.125, 3e-4, 1.0 / 3, {}, {}};
  MetricPoint last{2, 4.0, 6e-4, 1e-17, 3.5, {{"qk_rms", 2.0}}};
  const RunSeries series = read({start, update, last});
  EXPECT_EQ(series.id, "base-s1");
  EXPECT_THAT(series.evaluations,
              ElementsAre(RunSeries::Evaluation{0, 4.25}, RunSeries::Evaluation{2, 3.5}));
  EXPECT_THAT(series.updates, ElementsAre(RunSeries::UpdateLine{1, 4.125, 1.0 / 3},
                                          RunSeries::UpdateLine{2, 4.0, 1e-17}));
  ASSERT_EQ(series.mechanism.size(), 2U);
  EXPECT_EQ(series.mechanism[0], (RunSeries::Mechanism{0, start.mechanism}));
  EXPECT_EQ(series.mechanism[1], (RunSeries::Mechanism{2, last.mechanism}));
}

TEST_F(RunSeriesFile, SaysTheSameOfATrainingLineAsTheGeneralReader) {
  const std::string line =
      R"({"step":3,"train_loss":2.8476037979125977,"lr":1e-05,"grad_norm":1.5e+300})";
  const RunSeries series = read(line + "\n");
  const MetricPoint point = metric_point_from_json(Json::parse(line));
  EXPECT_THAT(series.updates,
              ElementsAre(RunSeries::UpdateLine{3, *point.train_loss, *point.grad_norm}));
  EXPECT_EQ(read("{\"step\":3, \"grad_norm\":1.5e+300, \"train_loss\":2.8476037979125977}\n"),
            series);
}

TEST_F(RunSeriesFile, KeepsWhatIsNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const RunSeries series =
      read({MetricPoint{1, 2.0, 1e-3, std::numeric_limits<double>::infinity(), {}, {}},
            MetricPoint{2, kNan, 1e-3, {}, {}, {}}});
  ASSERT_EQ(series.updates.size(), 2U);
  EXPECT_TRUE(std::isinf(series.updates[0].grad_norm));
  EXPECT_TRUE(std::isnan(series.updates[1].train_loss));
  EXPECT_TRUE(std::isnan(series.updates[1].grad_norm));
}

TEST_F(RunSeriesFile, LeavesATornLineOutAndNamesADamagedOne) {
  EXPECT_EQ(read("{\"step\":0,\"val_loss\":4}\n{\"step\":1,\"tr").evaluations.size(), 1U);
  try {
    read("{\"step\":0}\n{\"step\":1,\"train_loss\":2,\"lr\":x}\n");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("metrics.jsonl:2"));
  }
}

TEST_F(RunSeriesFile, IsEmptyWhereThereIsNone) {
  EXPECT_EQ(read_series(run_), (RunSeries{"base-s1", {}, {}, {}}));
}

TEST(RunSeriesOfASweep, AreThoseOfTheFinishedRuns) {
  const TemporaryFolder folder;
  const SweepDir sweep{folder.path()};
  std::vector<RunRecord> records(2);
  for (std::size_t i = 0; i < 2; ++i) {
    records[i].spec.id = "run" + std::to_string(i);
    std::filesystem::create_directories(sweep.run(records[i].spec.id).path);
    publish(sweep.run(records[i].spec.id).metrics(), "{\"step\":0,\"val_loss\":4}\n");
  }
  records[1].result = RunResult{};
  const auto all = read_series(sweep, records);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(find_series(all, "run1"), &all[0]);
  EXPECT_EQ(find_series(all, "run0"), nullptr);
}

}  // namespace
}  // namespace sweep
