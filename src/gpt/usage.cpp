#include "gpt/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>

#include "sweep/base/process.h"

namespace sweep {
namespace {

#ifndef __linux__
const double loaded_s = monotonic_s();
#endif

}  // namespace

Usage process_usage() {
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr std::uint64_t kUnit = 1;
#else
  constexpr std::uint64_t kUnit = 1024;
#endif
  return {usage.ru_minflt + usage.ru_majflt, static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit};
}

double process_age_s() {
#ifdef __linux__
  // The start is given in clock ticks since boot.
  struct timespec t{};
  ::clock_gettime(CLOCK_BOOTTIME, &t);
  const double now_s = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return now_s - std::stod(self_identity().start) / ticks_per_s;
#else
  return monotonic_s() - loaded_s;
#endif
}

}  // namespace sweep
