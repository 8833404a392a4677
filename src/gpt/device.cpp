#include "gpt/device.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <regex>

#include "sweep/base/error.h"

// Defined where the MKL hook is linked in.
extern "C" __attribute__((weak)) bool sweep_mkl_has_asked();

namespace sweep {
namespace {

/// MPS on M1 and M2 adds garbage to products with so many summands (pytorch/pytorch 195163).
constexpr std::int64_t kMpsSummands = 32767;

void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

/// OpenBLAS built on plain threads does not know at::set_num_threads.
void set_openblas_threads(int threads) {
  using SetThreads = void (*)(int);
  // NOLINTNEXTLINE(*-reinterpret-cast): what dlsym is for
  const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
}

/// The mode belongs to a thread, so each of the pool's has to set it.
void flush_subnormals(int threads) {
  at::parallel_for(0, threads, 1,
                   [](std::int64_t, std::int64_t) { at::globalContext().setFlushDenormal(true); });
}

std::string devices_here() {
  std::string names = "cpu";
  if (at::hasMPS()) names += ", mps";
  for (std::size_t i = 0; i < at::getNumGPUs(); ++i) names += ", cuda:" + std::to_string(i);
  return names;
}

bool is_here(const at::Device& device) {
  if (device.is_cpu()) return true;
  if (device.is_mps()) return at::hasMPS();
  return static_cast<std::size_t>(device.has_index() ? device.index() : 0) < at::getNumGPUs();
}

void refuse_miscomputed(const at::Device& device, const Config& config) {
  if (!device.is_mps()) return;
  const std::int64_t batch_tokens = config.train.batch_size * config.model.block_size;
  if (config.model.vocab_size < kMpsSummands && batch_tokens < kMpsSummands) return;
  fail(
      ExitCode::kBadInput,
      "train.device mps: products with {} or more summands may be wrong there; the vocabulary ({}) "
      "and train.batch_size * model.block_size ({}) must stay below it, or train on cpu",
      kMpsSummands, config.model.vocab_size, batch_tokens);
}

void ask_for_determinism(const at::Device& device) {
  if (device.is_cpu()) return;  // deterministic as it is
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  // MPS has no deterministic form of some operators: a warning there, since nothing is promised.
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/device.is_mps());
}

}  // namespace

void set_up_numerics(int threads) {
  keep_memory();
  at::set_num_threads(threads);
  set_openblas_threads(threads);
  flush_subnormals(threads);
}

at::Device open_device(const std::string& name, const Config& config) {
  static const std::regex kNames("cpu|mps|cuda(:[0-9]{1,2})?");
  if (!std::regex_match(name, kNames)) {
    fail(ExitCode::kBadInput, "train.device is '{}', expected cpu, mps, cuda or cuda:N", name);
  }
  const at::Device device(name);
  refuse_miscomputed(device, config);
  if (!is_here(device)) {
    fail(ExitCode::kResources, "There is no device {} for this LibTorch; it has: {}", name,
         devices_here());
  }
  ask_for_determinism(device);
  return device;
}

at::ScalarType scalar_type(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? at::kDouble : at::kFloat;
}

std::string gemm_path() {
  if (at::hasMKL()) {
    const at::Tensor x = at::ones({32, 32});
    at::mm(x, x);  // MKL asks at its first product
    return sweep_mkl_has_asked != nullptr && sweep_mkl_has_asked() ? "mkl+hook" : "mkl";
  }
  if (dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr) return "openblas";
  return at::show_config().find("BLAS_INFO=accelerate") != std::string::npos ? "accelerate"
                                                                             : "blas";
}

}  // namespace sweep
