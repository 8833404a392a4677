// scheduling_benchmark SWEEP: carries a registered sweep out with workers that finish at once, and
// prints what the orchestrator took, as one JSON line. For tests/acceptance/speed-5.sh.
#include <fmt/format.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "queue/executor.h"
#include "queue/orchestrator.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/process.h"
#include "sweep/queue/queue.h"
#include "sweep/record/claim.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace {

constexpr std::size_t kWorkers = 2;

/// Two workers that have published their result when they are started.
class NullExecutor : public Executor {
 public:
  Room room_for(const RunSpec&) override {
    return ended_.size() < kWorkers ? Room::kFree : Room::kBusy;
  }
  [[nodiscard]] std::string memory_shortage(const RunSpec&) const override { return ""; }
  StartedWorker start(const WorkOrder& order) override {
    RunResult result;
    result.id = order.spec->id;
    result.outcome = {RunOutcome::Kind::kCompleted, order.spec->config.train.max_iters, ""};
    publish(order.run.result(), to_text(to_json(result)));
    ended_.push_back({result.id, 0, 0, "exit 0", false});
    return {"here", 1, ""};
  }
  std::vector<WorkerEnd> reap() override { return std::exchange(ended_, {}); }
  void stop(const std::string&, Stop) override {}
  void wait(int, double) override {}

 private:
  std::vector<WorkerEnd> ended_;
};

int schedule(const SweepDir& sweep) {
  const auto plan = read_plan(sweep);
  NullExecutor executor;
  const auto view = make_progress_view({});
  const ExecutionConfig execution;
  const QueueTiming timing;
  Claim owner = own_sweep(sweep);
  const double began_s = monotonic_s();
  Orchestrator orchestrator({sweep, execution, timing, executor, *view, owner}, plan);
  const QueueSummary summary = orchestrator.run();
  const double took_s = monotonic_s() - began_s;
  view->close();
  const auto runs = static_cast<double>(plan.size());
  fmt::print("{}\n", to_line({{"runs", plan.size()},
                              {"finished", summary.runs.finished},
                              {"seconds", took_s},
                              {"ms_per_run", 1e3 * took_s / runs}}));
  return summary.exit_status();
}

}  // namespace
}  // namespace sweep

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return sweep::schedule({argv[1]});
  } catch (const std::exception& e) {
    std::fputs((std::string(e.what()) + "\n").c_str(), stderr);
    return 1;
  }
}
