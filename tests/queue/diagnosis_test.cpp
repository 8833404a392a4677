#include "sweep/queue/diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace sweep {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Json fast_trainer() {
  return {{"libtorch", "2.13.0"},         {"gemm", "mkl+hook"},
          {"instruction_set", "avx512"},  {"fma_peak_gflops", 100.0},
          {"libtorch_gemm_gflops", 95.0}, {"own_gemm_gflops", 98.0},
          {"devices", {"cpu", "cuda:0"}}};
}

MachineFacts healthy() {
  MachineFacts facts;
  facts.trainer = fast_trainer();
  facts.cores = 4;
  facts.load = 0.5;
  facts.memory = 8'000'000'000;
  facts.disk = 100'000'000'000;
  facts.file_system = "ext4";
  return facts;
}

Check check_named(const MachineFacts& facts, const std::string& name) {
  const auto checks = diagnose(facts);
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  if (found == checks.end()) throw std::out_of_range(name);
  return *found;
}

TEST(Diagnosis, OfAHealthyMachineIsGreenAndAsksForNothing) {
  for (const Check& check : diagnose(healthy())) {
    EXPECT_EQ(check.light, Light::kGreen) << check.name;
    EXPECT_THAT(check.todo, IsEmpty()) << check.name;
  }
  EXPECT_EQ(check_named(healthy(), "products (path plain)").found,
            "mkl+hook; 95 GFLOP/s, 95 % of the multiply-add peak");
}

TEST(Diagnosis, WithoutATrainerIsRed) {
  MachineFacts facts = healthy();
  facts.trainer.reset();
  facts.trainer_problem = "sweep-train is not there";
  const Check check = check_named(facts, "trainer");
  EXPECT_EQ(check.light, Light::kRed);
  EXPECT_EQ(check.found, "sweep-train is not there");
  EXPECT_THAT(check.todo, HasSubstr("bootstrap"));
}

TEST(Diagnosis, SaysWhyProductsAreSlow) {
  MachineFacts facts = healthy();
  (*facts.trainer)["libtorch_gemm_gflops"] = 40.0;
  for (const auto& [gemm, todo] :
       {std::pair("mkl", "SWEEP_FAST_GEMM"), std::pair("blas", "reference BLAS"),
        std::pair("openblas", "other programs")}) {
    (*facts.trainer)["gemm"] = gemm;
    const Check check = check_named(facts, "products (path plain)");
    EXPECT_EQ(check.light, Light::kYellow);
    EXPECT_THAT(check.todo, HasSubstr(todo));
  }
}

TEST(Diagnosis, ComparesTheKernelsWithThePeak) {
  MachineFacts facts = healthy();
  (*facts.trainer)["own_gemm_gflops"] = 59.0;
  EXPECT_EQ(check_named(facts, "kernels (path fused)").light, Light::kYellow);
  (*facts.trainer)["own_gemm_gflops"] = 61.0;
  EXPECT_EQ(check_named(facts, "kernels (path fused)").light, Light::kGreen);
}

TEST(Diagnosis, CountsMemoryInRuns) {
  MachineFacts facts = healthy();
  facts.memory = 700'000'000;
  EXPECT_EQ(check_named(facts, "memory").light, Light::kYellow);
  EXPECT_EQ(check_named(facts, "memory").todo, "enough for 2 runs at once: -j");
  facts.memory = 100'000'000;
  EXPECT_EQ(check_named(facts, "memory").light, Light::kRed);
  facts.memory.reset();
  EXPECT_EQ(check_named(facts, "memory").light, Light::kGreen);
}

TEST(Diagnosis, LooksAtTheDisk) {
  MachineFacts facts = healthy();
  facts.disk = 2'000'000'000;
  EXPECT_EQ(check_named(facts, "disk").light, Light::kYellow);
  facts.disk = 2'000'000;
  EXPECT_EQ(check_named(facts, "disk").light, Light::kRed);
  for (const char* type : {"tmpfs", "nfs4", "fuse.sshfs"}) {
    facts.file_system = type;
    EXPECT_EQ(check_named(facts, "file system").light, Light::kYellow) << type;
  }
}

TEST(Diagnosis, NamesWhatElseMatters) {
  MachineFacts facts = healthy();
  facts.load = 3;
  facts.gnuplot = false;
  facts.overrides = {"MKL_CBWR=COMPATIBLE"};
  for (const char* name : {"cores", "figures", "environment"}) {
    EXPECT_EQ(check_named(facts, name).light, Light::kYellow) << name;
  }
  EXPECT_EQ(check_named(facts, "environment").found, "MKL_CBWR=COMPATIBLE");
}

}  // namespace
}  // namespace sweep
