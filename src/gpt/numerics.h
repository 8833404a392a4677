#pragma once

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

}  // namespace sweep
