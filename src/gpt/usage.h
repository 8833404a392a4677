#pragma once

#include <cstdint>

namespace sweep {

/// What the kernel has counted for this process so far.
struct Usage {
  std::int64_t page_faults = 0;
  std::uint64_t peak_rss_bytes = 0;
};

Usage process_usage();

/// How often this process has asked for memory by C++'s `new`. The counter is the program's own
/// `operator new`, which every library of the process uses.
std::int64_t allocations_made();

/// Seconds since this process was started, loading its libraries included (Linux; elsewhere since
/// they were loaded).
double process_age_s();

}  // namespace sweep
