#pragma once

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

// SWEEP_COMPILE(name, (parameters), (arguments)) defines `void name parameters`, which calls the
// version of `name_body arguments` for the instruction set in use.
#ifdef __x86_64__
#define SWEEP_COMPILE(name, parameters, arguments)                                   \
  namespace {                                                                        \
  __attribute__((target("arch=x86-64-v4,prefer-vector-width=512"),                   \
                 flatten)) void name##_avx512 parameters {                           \
    name##_body arguments;                                                           \
  }                                                                                  \
  __attribute__((target("arch=x86-64-v3"), flatten)) void name##_avx2 parameters {   \
    name##_body arguments;                                                           \
  }                                                                                  \
  __attribute__((flatten)) void name##_generic parameters { name##_body arguments; } \
  }                                                                                  \
  void name parameters {                                                             \
    const InstructionSet set = instruction_set();                                    \
    if (set == InstructionSet::kAvx512) return name##_avx512 arguments;              \
    if (set == InstructionSet::kAvx2) return name##_avx2 arguments;                  \
    name##_generic arguments;                                                        \
  }
#else
#define SWEEP_COMPILE(name, parameters, arguments) \
  __attribute__((flatten)) void name parameters { name##_body arguments; }
#endif
