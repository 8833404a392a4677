// MKL asks these two whether the processor is Intel's and takes an AVX2 path where it is not, at
// less than half the speed of the AVX-512 path that the same processor runs as well. LibTorch
// calls them through its dynamic symbol table, so the program's own answer comes first.

namespace {
bool asked = false;
}

extern "C" {

__attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
  asked = true;
  return 1;
}

__attribute__((visibility("default"))) int mkl_serv_intel_cpu() {
  asked = true;
  return 1;
}

/// Whether MKL has asked: the proof that the hook is in effect.
bool sweep_mkl_has_asked() { return asked; }
}
