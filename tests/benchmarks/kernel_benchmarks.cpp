// Each kernel of the fused path on the sizes of shape B (width 128, context 128), as it is called
// there: on one chunk of 512 tokens. Rates are operations or bytes per second of one core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gpt/fused/adamw.h"
#include "gpt/fused/cross_entropy.h"
#include "gpt/fused/embedding.h"
#include "gpt/fused/gelu.h"
#include "gpt/fused/gemm.h"
#include "gpt/fused/norm.h"
#include "gpt/kernels/attention_kernel.h"
#include "gpt/kernels/instruction_set.h"

namespace sweep {
namespace {

constexpr std::int64_t kTokens = 512;
constexpr std::int64_t kWidth = 128;
constexpr std::int64_t kContext = 128;

/// Aligned to lines of the cache, as the arena of a training step is.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  static T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), kAlignment));
  }
  static void deallocate(T* x, std::size_t) { ::operator delete(x, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

using Numbers = std::vector<float, AlignedAllocator<float>>;

Numbers numbers(std::int64_t count) {
  Numbers x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  return x;
}

void count_operations(benchmark::State& state, double each) {
  state.counters["flops"] = benchmark::Counter(each, benchmark::Counter::kIsIterationInvariantRate);
}

void count_numbers(benchmark::State& state, std::int64_t each) {
  state.SetBytesProcessed(state.iterations() * each * static_cast<std::int64_t>(sizeof(float)));
}

/// y (512 x out) = x (512 x in) W^T.
void Gemm(benchmark::State& state) {
  const std::int64_t in = state.range(0);
  const std::int64_t out = state.range(1);
  const auto x = numbers(kTokens * in);
  const auto weight = numbers(in * out);
  auto y = numbers(kTokens * out);
  auto memory = numbers(panel_size(in, out));
  const Panels panels = pack_panels({weight.data(), 1, in}, in, out, memory.data());
  for (auto _ : state) multiply({x.data(), in, 1}, kTokens, panels, {y.data(), out}, Into::kSet);
  count_operations(state, 2.0 * static_cast<double>(kTokens * in * out));
}
BENCHMARK(Gemm)->Args({128, 384})->Args({128, 512})->Args({512, 128})->Args({384, 1536});

/// dW (out x in) += dy^T x over 512 tokens.
void GemmOfWeightGradient(benchmark::State& state) {
  const std::int64_t in = state.range(0);
  const std::int64_t out = state.range(1);
  const auto x = numbers(kTokens * in);
  const auto dy = numbers(kTokens * out);
  auto gradient = numbers(in * out);
  auto memory = numbers(panel_size(kTokens, in));
  for (auto _ : state) {
    const Panels panels = pack_panels({x.data(), in, 1}, kTokens, in, memory.data());
    multiply({dy.data(), 1, out}, out, panels, {gradient.data(), in}, Into::kAdd);
  }
  count_operations(state, 2.0 * static_cast<double>(kTokens * in * out));
}
BENCHMARK(GemmOfWeightGradient)->Args({128, 384})->Args({512, 128});

void PackTransposed(benchmark::State& state) {
  const auto weight = numbers(kWidth * 4 * kWidth);
  auto memory = numbers(panel_size(kWidth, 4 * kWidth));
  for (auto _ : state) pack_panels({weight.data(), 1, kWidth}, kWidth, 4 * kWidth, memory.data());
  count_numbers(state, kWidth * 4 * kWidth);
}
BENCHMARK(PackTransposed);

/// One sequence: heads of size range(0), context range(1).
struct Attention {
  explicit Attention(const benchmark::State& state)
      : shape{1, state.range(1), kWidth / state.range(0), state.range(0)} {}

  [[nodiscard]] AttentionInputs<float> inputs() const {
    return {heads(qkv.data()), heads(qkv.data() + kWidth), heads(qkv.data() + 2 * kWidth)};
  }
  [[nodiscard]] Heads<const float> heads(const float* data) const {
    return {data, 0, 3 * kWidth, shape.head_size};
  }
  [[nodiscard]] Heads<float> dense(Numbers& x) const {
    return {x.data(), 0, kWidth, shape.head_size};
  }
  void forward() {
    attention_forward<float>(shape, scale, inputs(), dense(out), log_sum.data(), {0, shape.heads},
                             workspace.data());
  }

  AttentionShape shape;
  float scale = 0.2F;
  Numbers qkv = numbers(shape.length * 3 * kWidth);
  Numbers out = numbers(shape.length * kWidth);
  Numbers dq = out, dk = out, dv = out;
  Numbers log_sum = numbers(shape.length * shape.heads);
  Numbers workspace = numbers(attention_workspace<float>(shape));
};

void AttentionForward(benchmark::State& state) {
  Attention a(state);
  for (auto _ : state) a.forward();
  // Two products, of which the causal half is needed.
  count_operations(state, 2.0 * static_cast<double>(a.shape.length * a.shape.length * kWidth));
}
BENCHMARK(AttentionForward)->Args({32, 64})->Args({32, kContext})->Args({64, 256});

void AttentionBackward(benchmark::State& state) {
  Attention a(state);
  a.forward();
  for (auto _ : state) {
    attention_backward<float>(a.shape, a.scale, a.inputs(),
                              {a.out.data(), 0, kWidth, a.shape.head_size}, a.log_sum.data(),
                              {a.dense(a.dq), a.dense(a.dk), a.dense(a.dv)}, {0, a.shape.heads},
                              a.workspace.data());
  }
  count_operations(state, 5.0 * static_cast<double>(a.shape.length * a.shape.length * kWidth));
}
BENCHMARK(AttentionBackward)->Args({32, 64})->Args({32, kContext})->Args({64, 256});

/// The layer norms of 512 tokens, or QK-norm of their heads, by range(0) numbers a row.
NormRows norm_rows(std::int64_t size) { return {kTokens, kWidth / size, size}; }

constexpr RowNorm kNorms[] = {{RowNorm::Kind::kLayer, 1e-5}, {RowNorm::Kind::kRms, 1e-6}};

const RowNorm& norm_of(std::int64_t size) { return kNorms[size == kWidth ? 0 : 1]; }

void NormForward(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const auto x = numbers(kTokens * kWidth);
  const auto gain = numbers(size);
  auto y = x;
  std::vector<RowScale> scales(static_cast<std::size_t>(kTokens * kWidth / size));
  for (auto _ : state) {
    norm_forward(norm_of(size), norm_rows(size), x.data(), kWidth, gain.data(), nullptr, y.data(),
                 kWidth, scales.data());
  }
  count_numbers(state, kTokens * kWidth);
}
BENCHMARK(NormForward)->Arg(kWidth)->Arg(32);

void NormBackward(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const auto x = numbers(kTokens * kWidth);
  const auto gain = numbers(size);
  auto dx = x;
  auto dgain = gain;
  auto scratch = numbers(2 * padded(size));
  std::vector<RowScale> scales(static_cast<std::size_t>(kTokens * kWidth / size));
  norm_forward(norm_of(size), norm_rows(size), x.data(), kWidth, gain.data(), nullptr, dx.data(),
               kWidth, scales.data());
  for (auto _ : state) {
    norm_backward(norm_of(size), norm_rows(size), x.data(), kWidth, scales.data(), gain.data(),
                  x.data(), kWidth,
                  {dx.data(), kWidth, false, dgain.data(), nullptr, scratch.data()});
  }
  count_numbers(state, kTokens * kWidth);
}
BENCHMARK(NormBackward)->Arg(kWidth)->Arg(32);

void GeluForward(benchmark::State& state) {
  const auto x = numbers(kTokens * 4 * kWidth);
  auto y = x;
  auto slope = x;
  for (auto _ : state) gelu_forward(x.data(), kTokens * 4 * kWidth, y.data(), slope.data());
  count_numbers(state, kTokens * 4 * kWidth);
}
BENCHMARK(GeluForward);

void GeluBackward(benchmark::State& state) {
  const auto slope = numbers(kTokens * 4 * kWidth);
  auto dy = slope;
  for (auto _ : state) gelu_backward(slope.data(), kTokens * 4 * kWidth, dy.data());
  count_numbers(state, kTokens * 4 * kWidth);
}
BENCHMARK(GeluBackward);

void CrossEntropy(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const auto logits = numbers(kTokens * size);
  auto work = logits;
  const std::vector<std::int64_t> targets(kTokens, 1);
  for (auto _ : state) {
    work = logits;
    benchmark::DoNotOptimize(
        cross_entropy_with_gradient({work.data(), kTokens, size, targets.data()}, 0.1F));
  }
  count_numbers(state, kTokens * size);
}
BENCHMARK(CrossEntropy)->Arg(65)->Arg(4096);

void Embedding(benchmark::State& state) {
  const auto table = numbers(kContext * kWidth);
  auto x = numbers(kTokens * kWidth);
  const std::vector<std::int64_t> ids(kTokens, 7);
  for (auto _ : state) {
    embed({ids.data(), kTokens, kContext}, kWidth, table.data(), table.data(), x.data());
  }
  count_numbers(state, kTokens * kWidth);
}
BENCHMARK(Embedding);

void AdamW(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  const auto gradient = numbers(count);
  auto p = gradient;
  Numbers m(gradient.size(), 0.0F), v(gradient.size(), 1.0F);
  const AdamWUpdate update{1, 1, 0.1F, 0.99F, 0.01F, 1e-6F, 1, 1e-8F};
  for (auto _ : state) {
    benchmark::DoNotOptimize(adamw(update, gradient.data(), {p.data(), m.data(), v.data()}, count));
  }
  count_numbers(state, count);
}
BENCHMARK(AdamW)->Arg(200'000)->Arg(800'000);

}  // namespace
}  // namespace sweep

/// SWEEP_INSTRUCTION_SET=avx2 measures the kernels of that set.
int main(int argc, char** argv) {
  const char* wanted = std::getenv("SWEEP_INSTRUCTION_SET");
  for (const sweep::InstructionSet set : sweep::instruction_sets()) {
    if (wanted != nullptr && to_string(set) == wanted) sweep::use_instruction_set(set);
  }
  benchmark::AddCustomContext("instruction_set", to_string(sweep::instruction_set()));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
