#include "gpt/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/base/error.h"

// Linked in where MKL is to be told to take its fastest path (fast_gemm.cpp).
extern "C" __attribute__((weak)) bool sweep_mkl_has_asked();

namespace sweep {
namespace {

using testing::HasSubstr;

Config small_config() {
  Config config;
  config.model.vocab_size = 65;
  return config;
}

std::string refusal(const std::string& name, const Config& config, ExitCode code) {
  try {
    open_device(name, config);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << name << " was opened";
  return "";
}

TEST(Device, CpuIsAlwaysThere) { EXPECT_TRUE(open_device("cpu", small_config()).is_cpu()); }

TEST(Device, ThatIsNotThereIsRefusedWithWhatIs) {
  if (!at::hasMPS()) {
    EXPECT_THAT(refusal("mps", small_config(), ExitCode::kResources), HasSubstr("it has: cpu"));
  }
  EXPECT_THAT(refusal("cuda:99", small_config(), ExitCode::kResources), HasSubstr("cuda:99"));
}

TEST(Device, OfAnotherNameIsBadInput) {
  for (const std::string name : {"gpu", "cuda:", "cuda:x", "CPU", "cpu:0", ""}) {
    EXPECT_THAT(refusal(name, small_config(), ExitCode::kBadInput), HasSubstr("expected cpu"));
  }
}

TEST(Device, MpsIsRefusedProductsThatItMayMiscompute) {
  Config large_vocabulary = small_config();
  large_vocabulary.model.vocab_size = 50257;
  EXPECT_THAT(refusal("mps", large_vocabulary, ExitCode::kBadInput), HasSubstr("50257"));
  Config large_batch = small_config();
  large_batch.train.batch_size = 128;
  large_batch.model.block_size = 256;
  EXPECT_THAT(refusal("mps", large_batch, ExitCode::kBadInput), HasSubstr("32768"));
}

TEST(Device, IsReadAfterSeveralUpdatesUnlessItIsTheCpu) {
  EXPECT_EQ(updates_per_read(at::kCPU), 1U);
  EXPECT_GT(updates_per_read(at::kMPS), 1U);
  EXPECT_GT(updates_per_read(at::Device("cuda:1")), 1U);
}

TEST(Device, MpsHasNoFloat64AndPromisesNoBits) {
  EXPECT_EQ(widest_float(at::kMPS), at::kFloat);
  EXPECT_FALSE(is_reproducible("mps"));
  for (const std::string name : {"cpu", "cuda", "cuda:1"}) {
    EXPECT_EQ(widest_float(at::Device(name)), at::kDouble);
    EXPECT_TRUE(is_reproducible(name));
  }
}

TEST(Numerics, UseOneThread) { EXPECT_EQ(at::get_num_threads(), 1); }

TEST(Numerics, FlushSubnormalsToZero) {
  volatile float tiny = 1e-38F;
  volatile float result = tiny * 0.01F;
  EXPECT_EQ(result, 0.0F);
}

TEST(Numerics, NameTheMatrixProduct) {
  const std::string path = gemm_path();
  if (at::hasMKL() && sweep_mkl_has_asked != nullptr) {
    EXPECT_EQ(path, "mkl+hook");
  }
  EXPECT_THAT(path, testing::AnyOf("mkl+hook", "mkl", "openblas", "accelerate", "blas"));
}

TEST(Numerics, HaveATypePerDtype) {
  EXPECT_EQ(scalar_type(Dtype::kFloat32), at::kFloat);
  EXPECT_EQ(scalar_type(Dtype::kFloat64), at::kDouble);
}

}  // namespace
}  // namespace sweep
