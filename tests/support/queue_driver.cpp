// queue_driver SWEEP TRAINER [JOBS]: one orchestrator as a process of its own, for tests that
// signal or kill it. Waiting times are short, and nothing is retried more than once.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "sweep/queue/queue.h"
#include "sweep/record/run_record.h"

int main(int argc, char** argv) {
  using namespace sweep;
  if (argc < 3) return 2;
  const SweepDir sweep{argv[1]};
  QueueOptions options;
  options.trainer = argv[2];
  options.jobs = argc > 3 ? std::stoi(argv[3]) : 0;
  options.reason = "test";
  ExecutionConfig execution;
  execution.max_retries = 1;
  const auto view = make_progress_view({});
  try {
    const auto summary = run_queue(sweep, read_plan(sweep), execution, options, *view);
    fmt::print("{}\n", describe(summary, sweep));
    return summary.exit_status();
  } catch (const Error& e) {
    std::fputs((std::string(e.what()) + "\n").c_str(), stderr);
    return static_cast<int>(e.code());
  }
}
