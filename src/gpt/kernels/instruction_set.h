#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <string>
#include <vector>

namespace sweep {

/// What the kernels of this folder are compiled for. All give the same bits: sums are taken in
/// sixteen lanes whatever the registers hold, and multiply-adds are fused where they say so.
enum class InstructionSet { kGeneric, kAvx2, kAvx512 };

/// Those that this processor runs, best first; elsewhere than on x86 `kGeneric` is the only one.
std::vector<InstructionSet> instruction_sets();

/// The first of them, unless another has been chosen.
InstructionSet instruction_set();

/// For tests: one of `instruction_sets()`.
void use_instruction_set(InstructionSet set);

std::string to_string(InstructionSet set);

}  // namespace sweep

// SWEEP_DISPATCH(gelu_forward(x, n, y)) returns what the version for the instruction set in use
// returns (for_each_instruction_set.h).
#ifdef __x86_64__
#define SWEEP_DISPATCH(call)       \
  switch (instruction_set()) {     \
    case InstructionSet::kAvx512:  \
      return avx512::call;         \
    case InstructionSet::kAvx2:    \
      return avx2::call;           \
    case InstructionSet::kGeneric: \
      break;                       \
  }                                \
  return generic::call
#else
#define SWEEP_DISPATCH(call) return generic::call
#endif
