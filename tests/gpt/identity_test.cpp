#include "gpt/identity.h"

#include <gtest/gtest.h>

#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(NumericIdentity, IsTheSameEveryTime) {
  const Json first = to_json(numeric_identity("cpu", KernelPath::kPlain));
  EXPECT_EQ(first, to_json(numeric_identity("cpu", KernelPath::kPlain)));
  EXPECT_EQ(first["schema_version"], 1);
  EXPECT_EQ(first["device"], "cpu");
  EXPECT_EQ(first["threads"], 1);
  EXPECT_EQ(first["fingerprint"].get<std::string>().size(), 64U);
  for (const char* key : {"kernel_path", "libtorch", "gemm", "instruction_set"}) {
    EXPECT_NE(first[key], "") << key;
  }
}

TEST(NumericIdentity, TellsOneKernelPathFromTheOther) {
  const Json plain = to_json(numeric_identity("cpu", KernelPath::kPlain));
  const Json fused = to_json(numeric_identity("cpu", KernelPath::kFused));
  EXPECT_EQ(plain["kernel_path"], "plain");
  EXPECT_EQ(fused["kernel_path"], "fused");
  EXPECT_NE(plain["fingerprint"], fused["fingerprint"]);
}

TEST(NumericIdentity, PromisesNoBitsWhereTheDeviceDoesNotRepeatItself) {
  EXPECT_EQ(to_json(numeric_identity("cpu", KernelPath::kPlain))["reproducible"], true);
  const Json mps = to_json(identity_without_bits("mps", KernelPath::kPlain));
  EXPECT_EQ(mps["reproducible"], false);
  EXPECT_EQ(mps, to_json(identity_without_bits("mps", KernelPath::kPlain)));
  EXPECT_EQ(mps["fingerprint"].get<std::string>().size(), 64U);
  EXPECT_NE(mps["fingerprint"],
            to_json(identity_without_bits("cpu", KernelPath::kPlain))["fingerprint"]);
}

TEST(NumericIdentity, HasNoneForADeviceThatIsNotHere) {
  EXPECT_THROW(numeric_identity("cuda:99", KernelPath::kPlain), Error);
  EXPECT_THROW(numeric_identity("mps", KernelPath::kFused), Error);
}

}  // namespace
}  // namespace sweep
