#include "gpt/numerics.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <dlfcn.h>
#include <torch/version.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Defined where the MKL hook is linked in.
extern "C" __attribute__((weak)) bool sweep_mkl_has_asked();

namespace sweep {
namespace {

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

}  // namespace

void set_up_numerics(int threads) {
  keep_memory();
  at::set_num_threads(threads);
  set_openblas_threads(threads);
  flush_subnormals(threads);
}

std::string gemm_path() {
  if (at::hasMKL()) {
    const at::Tensor x = at::ones({32, 32});
    at::mm(x, x);  // MKL asks at its first product
    return sweep_mkl_has_asked != nullptr && sweep_mkl_has_asked() ? "mkl+hook" : "mkl";
  }
  if (dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr) return "openblas";
  const bool apple = at::show_config().find("BLAS_INFO=accelerate") != std::string::npos;
  return apple ? "accelerate" : "blas";
}

std::string libtorch_version() { return TORCH_VERSION; }

void multiply_with_libtorch(float* a, float* b, const ProductSize& size, float* c) {
  at::Tensor product = at::from_blob(c, {size.rows, size.columns});
  at::mm_out(product, at::from_blob(a, {size.rows, size.depth}),
             at::from_blob(b, {size.depth, size.columns}));
}

}  // namespace sweep
