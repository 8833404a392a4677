#pragma once

namespace sweep {

/// GFLOP/s of one thread doing nothing but independent single-precision multiply-adds in registers,
/// with the widest vectors of this processor: the limit that a bench is measured against. Takes the
/// best of several short rounds, about a tenth of a second in all.
double fma_peak_gflops();

}  // namespace sweep
