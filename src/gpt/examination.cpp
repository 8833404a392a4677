#include "gpt/examination.h"

#include <algorithm>
#include <vector>

#include "gpt/device.h"
#include "gpt/fma_peak.h"
#include "gpt/fused/gemm.h"
#include "gpt/kernels/instruction_set.h"
#include "gpt/numerics.h"
#include "sweep/base/process.h"

namespace sweep {
namespace {

/// The first layer of an MLP of width 384, on 512 tokens.
constexpr std::int64_t kRows = 512;
constexpr std::int64_t kDepth = 384;
constexpr std::int64_t kColumns = 1536;

/// Best of many rounds: on a busy machine some fall between two interruptions.
constexpr int kRounds = 60;

struct Matrices {
  std::vector<float> a = ones(kRows * kDepth);
  std::vector<float> b = ones(kDepth * kColumns);
  std::vector<float> c = ones(kRows * kColumns);

  static std::vector<float> ones(std::int64_t n) {
    return std::vector<float>(static_cast<std::size_t>(n), 1.0F);
  }
};

template <typename Work>
double gflops_of(const Work& work) {
  work();
  double best_s = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double began_s = monotonic_s();
    work();
    best_s = std::min(best_s, monotonic_s() - began_s);
  }
  return 2.0 * kRows * kDepth * kColumns / best_s * 1e-9;
}

double libtorch_gemm_gflops() {
  Matrices m;
  return gflops_of([&] {
    multiply_with_libtorch(m.a.data(), m.b.data(), {kRows, kDepth, kColumns}, m.c.data());
  });
}

double own_gemm_gflops() {
  Matrices m;
  std::vector<float> memory = Matrices::ones(panel_size(kDepth, kColumns));
  const Panels panels = pack_panels({m.b.data(), kColumns, 1}, kDepth, kColumns, memory.data());
  return gflops_of([&] {
    multiply({m.a.data(), kDepth, 1}, kRows, panels, {m.c.data(), kColumns}, Into::kSet);
  });
}

}  // namespace

Json examine() {
  return {{"schema_version", 1},
          {"libtorch", libtorch_version()},
          {"gemm", gemm_path()},
          {"instruction_set", to_string(instruction_set())},
          {"fma_peak_gflops", fma_peak_gflops()},
          {"libtorch_gemm_gflops", libtorch_gemm_gflops()},
          {"own_gemm_gflops", own_gemm_gflops()},
          {"devices", devices_here()}};
}

}  // namespace sweep
