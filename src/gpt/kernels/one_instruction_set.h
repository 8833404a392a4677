// What for_each_instruction_set.h includes in each of its namespaces: the vectors of the set, then
// the kernels. The order matters, so nothing may sort it.
// clang-format off
#include "gpt/kernels/lanes.h"
#include "gpt/kernels/exponential.h"
#include "gpt/kernels/row.h"
#include SWEEP_KERNELS
