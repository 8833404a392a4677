#pragma once

#include <cstdint>
#include <string>

namespace sweep {

/// Called first thing in every program and test that trains: `threads` threads, freed memory kept
/// (a page fault costs more than the arithmetic on the page), and subnormal numbers flushed to
/// zero, so that a step takes the same time whatever the values are. Bits depend on all but the
/// memory.
void set_up_numerics(int threads = 1);

/// Which matrix product runs here: "mkl+hook" (MKL told to take its fastest path), "mkl",
/// "openblas", "accelerate" or "blas".
std::string gemm_path();

std::string libtorch_version();

/// c (rows x columns) = a (rows x depth) b (depth x columns), all row by row, by that product.
struct ProductSize {
  std::int64_t rows, depth, columns;
};
void multiply_with_libtorch(float* a, float* b, const ProductSize& size, float* c);

}  // namespace sweep
