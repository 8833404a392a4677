#include "sweep/record/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

TEST(MetricPoint, ReadsBackWhatWasWritten) {
  MetricPoint point;
  point.step = 7;
  point.train_loss = 0.1;
  point.lr = 3e-4;
  point.val_loss = std::numeric_limits<double>::infinity();
  point.mechanism = {{"max_attention_logit", 12.5}};
  EXPECT_EQ(metric_point_from_json(to_json(point)), point);
  EXPECT_EQ(to_line(to_json(MetricPoint{3, {}, {}, {}, 4.5, {}})), R"({"step":3,"val_loss":4.5})");
}

TEST(MetricPoint, WritesTheHeadsOfALayerAsAList) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MetricPoint point;
  point.mechanism = {{"z", kInfinity},       {"z/L0", kInfinity}, {"z/L0/H0", 2.5},
                     {"z/L0/H1", kInfinity}, {"z/L1/H0", 1},      {"z/L1/H2", 3}};
  const Json json = to_json(point);
  EXPECT_EQ(to_line(json.at("mechanism").at("z/L0/H")), "[2.5,null]");
  EXPECT_EQ(json.at("mechanism").at("nonfinite").at("z/L0/H1"), "inf");
  EXPECT_EQ(json.at("mechanism").at("z/L1/H2"), 3);  // no list has a hole
  EXPECT_EQ(metric_point_from_json(Json::parse(to_line(json))), point);
}

TEST(ReadMetrics, LeavesATornLineOutAndNamesADamagedOne) {
  const TemporaryFolder folder;
  publish(folder / "metrics.jsonl", "{\"step\":0,\"val_loss\":4}\n{\"step\":1,\"tr");
  EXPECT_EQ(read_metrics(folder / "metrics.jsonl").size(), 1U);
  publish(folder / "metrics.jsonl", "{\"step\":0}\nrubbish\n{\"step\":2}\n");
  try {
    read_metrics(folder / "metrics.jsonl");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("metrics.jsonl:2"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sweep
