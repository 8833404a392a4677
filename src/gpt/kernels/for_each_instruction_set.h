// Compiles the kernels of a file once for each instruction set: what the file holds where
// SWEEP_IN_KERNELS is defined is included in the namespaces avx512, avx2 and generic, each time
// after the vectors of lanes.h. The compiler lowers a vector operation in the function where it is
// written, so a helper for all sets that is inlined into one with wide registers comes too late.
//
//     #define SWEEP_KERNELS "gpt/fused/gelu.cpp"    // the file itself
//     #include "gpt/kernels/for_each_instruction_set.h"
//
// No guard and no includes: the file has included what its kernels need.

#define SWEEP_IN_KERNELS

#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#endif
namespace sweep::avx512 {
namespace {
constexpr auto kInstructionSet = InstructionSet::kAvx512;
#include "gpt/kernels/one_instruction_set.h"
}  // namespace
}  // namespace sweep::avx512
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#endif
namespace sweep::avx2 {
namespace {
constexpr auto kInstructionSet = InstructionSet::kAvx2;
#include "gpt/kernels/one_instruction_set.h"
}  // namespace
}  // namespace sweep::avx2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace sweep::generic {
namespace {
constexpr auto kInstructionSet = InstructionSet::kGeneric;
#include "gpt/kernels/one_instruction_set.h"
}  // namespace
}  // namespace sweep::generic

#undef SWEEP_IN_KERNELS
#undef SWEEP_KERNELS
