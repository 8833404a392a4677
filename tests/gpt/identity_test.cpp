#include "gpt/identity.h"

#include <gtest/gtest.h>

#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(NumericIdentity, IsTheSameEveryTime) {
  const Json first = to_json(numeric_identity("cpu"));
  EXPECT_EQ(first, to_json(numeric_identity("cpu")));
  EXPECT_EQ(first["schema_version"], 1);
  EXPECT_EQ(first["device"], "cpu");
  EXPECT_EQ(first["threads"], 1);
  EXPECT_EQ(first["fingerprint"].get<std::string>().size(), 64U);
  for (const char* key : {"kernel_path", "libtorch", "gemm", "instruction_set"}) {
    EXPECT_NE(first[key], "") << key;
  }
}

TEST(NumericIdentity, HasNoneForADeviceThatIsNotHere) {
  EXPECT_THROW(numeric_identity("cuda:99"), Error);
}

}  // namespace
}  // namespace sweep
