#include "sweep/prereg/kernel_path.h"

#include <gtest/gtest.h>

namespace sweep {
namespace {

TEST(KernelPath, HasANameThatIsReadBack) {
  for (const KernelPath path : {KernelPath::kPlain, KernelPath::kFused}) {
    EXPECT_EQ(kernel_path_named(to_string(path)), path);
  }
  EXPECT_FALSE(kernel_path_named("fast").has_value());
}

TEST(KernelPath, IsFusedForWhatTheHandWrittenStepCanTrain) {
  Config config;
  EXPECT_EQ(fastest_kernel_path(config), KernelPath::kFused);
  config.model.dropout = 0.1;
  EXPECT_EQ(fastest_kernel_path(config), KernelPath::kPlain);
  config.model.dropout = 0;
  config.train.dtype = Dtype::kFloat64;
  EXPECT_EQ(fastest_kernel_path(config), KernelPath::kPlain);
  config.train.dtype = Dtype::kFloat32;
  config.train.device = "mps";
  EXPECT_EQ(fastest_kernel_path(config), KernelPath::kPlain);
}

TEST(KernelPath, IsPlainForAllCellsWhenOneOfThemNeedsIt) {
  Prereg prereg;
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kFused);
  prereg.arms = {{"off", {}}, {"on", {{"model.qk_norm", Value(std::string("rms_per_head"))}}}};
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kFused);
  prereg.arms[1].settings.emplace_back("model.dropout", Value(0.1));
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kPlain);
  prereg.arms.clear();
  prereg.grid = {{"model.dropout", {"model.dropout"}, {{Value(0.0)}, {Value(0.1)}}}};
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kPlain);
}

TEST(KernelPath, IsPlainWhereARobustnessBlockMayNeedIt) {
  Prereg prereg;
  prereg.robustness = {{"model.tie_weights", false}};
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kFused);
  prereg.robustness = {{"model.dropout", 0.2}};
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kPlain);
}

TEST(KernelPath, IsPlainForABaseThatNeedsItEvenIfEveryArmReplacesThat) {
  Prereg prereg;
  prereg.base.model.dropout = 0.1;
  prereg.arms = {{"only", {{"model.dropout", Value(0.0)}}}};
  EXPECT_EQ(fastest_kernel_path(prereg), KernelPath::kPlain);
}

}  // namespace
}  // namespace sweep
