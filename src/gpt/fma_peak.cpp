#include "gpt/fma_peak.h"

#include <algorithm>

#include "sweep/base/process.h"

// This file is compiled with -O3 -ffp-contract=fast: a * b + c becomes one multiply-add where the
// function's target has it.

namespace sweep {
namespace {

/// Short rounds, so that on a busy machine some fall between two interruptions.
constexpr int kRounds = 300;
constexpr long kIterations = 100'000;
constexpr int kChains = 12;  ///< latency times ports, and few enough for 16 registers

template <int kLanes>
struct Vector {
  using Type __attribute__((vector_size(kLanes * sizeof(float)))) = float;
};

/// `kChains` dependent chains side by side; the sum keeps the compiler from dropping them.
template <int kLanes>
[[gnu::always_inline]] inline float run_chains(long iterations, float factor, float addend) {
  using Lanes = typename Vector<kLanes>::Type;
  Lanes chains[kChains];
  for (int c = 0; c < kChains; ++c) chains[c] = Lanes{} + static_cast<float>(c);
  const Lanes factors = Lanes{} + factor;
  const Lanes addends = Lanes{} + addend;
  for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) chains[c] = chains[c] * factors + addends;
  }
  Lanes sum{};
  for (int c = 0; c < kChains; ++c) sum += chains[c];
  return sum[0];
}

struct Kernel {
  float (*run)(long, float, float);
  int lanes;
};

#ifdef __x86_64__
__attribute__((target("avx512f"))) float run_512(long n, float a, float b) {
  return run_chains<16>(n, a, b);
}
__attribute__((target("avx2,fma"))) float run_256(long n, float a, float b) {
  return run_chains<8>(n, a, b);
}
#endif
float run_128(long n, float a, float b) { return run_chains<4>(n, a, b); }

Kernel widest_kernel() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return {run_512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {run_256, 8};
#endif
  return {run_128, 4};
}

}  // namespace

double fma_peak_gflops() {
  const Kernel kernel = widest_kernel();
  volatile float sink = 0;
  double best_s = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double began_s = monotonic_s();
    sink = sink + kernel.run(kIterations, 0.999F, 0.001F);
    best_s = std::min(best_s, monotonic_s() - began_s);
  }
  return 2.0 * kernel.lanes * kChains * kIterations / best_s * 1e-9;
}

}  // namespace sweep
