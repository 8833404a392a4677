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
