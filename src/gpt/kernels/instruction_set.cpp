#include "gpt/kernels/instruction_set.h"

namespace sweep {
namespace {

InstructionSet& in_use() {
  static InstructionSet set = instruction_sets().front();
  return set;
}

}  // namespace

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
#ifdef __x86_64__
  // What x86-64-v4 and v3 hold beyond these came with the same processors.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd")) {
    sets.push_back(InstructionSet::kAvx512);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    sets.push_back(InstructionSet::kAvx2);
  }
#endif
  sets.push_back(InstructionSet::kGeneric);
  return sets;
}

InstructionSet instruction_set() { return in_use(); }

void use_instruction_set(InstructionSet set) { in_use() = set; }

std::string to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kGeneric:
      return "generic";
  }
  return "";
}

}  // namespace sweep
