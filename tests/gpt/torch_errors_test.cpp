#include "gpt/torch_errors.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <functional>
#include <new>
#include <stdexcept>

#include "sweep/base/json.h"

namespace sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

Failure failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& exception) {
    return describe_failure(exception);
  }
  return {ExitCode::kOk, ""};
}

TEST(Failures, OfLibTorchComeWithoutABacktrace) {
  const Failure failure = failure_of([] { at::ones({2, 3}).matmul(at::ones({2, 3})); });
  EXPECT_EQ(failure.code, ExitCode::kRunFailed);
  EXPECT_THAT(failure.message, HasSubstr("LibTorch: mat1 and mat2"));
  EXPECT_THAT(failure.message, Not(HasSubstr("frame #")));
}

TEST(Failures, ToFindMemoryAreAboutResources) {
  const Failure large = failure_of([] { at::empty({std::int64_t{1} << 58}); });
  EXPECT_EQ(large.code, ExitCode::kResources);
  EXPECT_THAT(large.message, HasSubstr("out of memory"));
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }).code, ExitCode::kResources);
}

TEST(Failures, OfOursKeepTheirCodeAndSentence) {
  const Failure failure = failure_of([] { fail(ExitCode::kOwned, "somebody else"); });
  EXPECT_EQ(failure.code, ExitCode::kOwned);
  EXPECT_EQ(failure.message, "somebody else");
}

TEST(Failures, ToReadJsonAreBadInput) {
  EXPECT_EQ(failure_of([] { Json::object().at("missing"); }).code, ExitCode::kBadInput);
}

TEST(Failures, OfUnknownKindsMayBeRetried) {
  EXPECT_EQ(failure_of([] { throw std::runtime_error("odd"); }).code, ExitCode::kRunFailed);
}

}  // namespace
}  // namespace sweep
