#include "sweep/record/run_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

RunResult some_result() {
  RunResult result;
  result.id = "base-lr3e-2-s1-00000000";
  result.outcome = {RunOutcome::Kind::kNonfinite, 12, "grad_norm"};
  result.initial_val_loss = 4.17;
  result.final_val_loss = std::numeric_limits<double>::quiet_NaN();
  result.final_train_loss = 5.5;
  result.clip_count = 3;
  result.tokens_seen = 1024;
  result.config_hash = "c";
  result.metrics_hash = "m";
  result.weights_hash = "w";
  result.numeric_identity = "n";
  return result;
}

TEST(RunResult, ReadsBackWhatWasWritten) {
  const RunResult result = some_result();
  const RunResult back = run_result_from_json(to_json(result));
  EXPECT_TRUE(std::isnan(back.final_val_loss));
  EXPECT_EQ(to_line(to_json(back)), to_line(to_json(result)));
  EXPECT_EQ(back.outcome, result.outcome);
}

TEST(ReadResult, IsNothingUntilItIsPublished) {
  const TemporaryFolder folder;
  const RunDir run{folder.path()};
  EXPECT_FALSE(read_result(run));
  publish(run.result(), to_text(to_json(some_result())));
  EXPECT_EQ(read_result(run)->clip_count, 3);
  publish(run.result(), "{\"id\":");
  EXPECT_THROW(read_result(run), Error);
}

}  // namespace
}  // namespace sweep
