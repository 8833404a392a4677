#include "sweep/queue/status.h"

#include <map>
#include <tuple>
#include <utility>

#include "queue/pace.h"
#include "queue/speed_table.h"
#include "sweep/base/process.h"
#include "sweep/queue/attempts.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

/// Runs that differ in nothing but the arm.
using PairKey = std::tuple<std::string, std::string, std::uint64_t>;

PairKey pair_of(const RunSpec& spec) {
  Json levels = Json::array();
  for (const Level& level : spec.levels) levels.push_back({level.factor, level.value});
  return {spec.block, to_line(levels), spec.seed};
}

/// Reads one run after the other and adds them up.
class StatusReader {
 public:
  explicit StatusReader(const SweepDir& sweep) : sweep_(sweep), here_(self_identity().host) {}

  SweepStatus read() {
    plan_ = read_plan(sweep_);
    status_.progress.runs.planned = plan_.size();
    for (const RunSpec& spec : plan_) read_run(spec);
    status_.pairs_planned = open_arms_.size();
    for (const auto& [pair, open] : open_arms_) status_.pairs_complete += open == 0 ? 1 : 0;
    add_times();
    status_.name = fs::absolute(sweep_.path).lexically_normal().filename().string();
    status_.owner = owner_of(sweep_.owner());
    return std::move(status_);
  }

 private:
  void read_run(const RunSpec& spec) {
    const RunDir run = sweep_.run(spec.id);
    int& open = open_arms_[pair_of(spec)];
    if (fs::exists(run.result())) {
      ++status_.progress.runs.finished;
      learn_speed(speeds_, spec, run);
      return;
    }
    ++open;
    read_unfinished(spec, run);
  }

  void read_unfinished(const RunSpec& spec, const RunDir& run) {
    RunCounts& runs = status_.progress.runs;
    if (!fs::exists(run.path)) {
      ++runs.waiting;
      to_do_.emplace_back(&spec, 0);
    } else if (const auto holder = owner_of(run.claim())) {
      read_active(spec, run, *holder);
    } else {
      read_stopped(spec, run);
    }
  }

  void read_active(const RunSpec& spec, const RunDir& run, const ClaimInfo& holder) {
    const bool here = holder.who.host.empty() || holder.who.host == here_;
    ++(here ? status_.progress.runs.running : status_.progress.runs.elsewhere);
    const Pace pace = read_pace(run.timing(), tokens_per_step(spec)).value_or(Pace{});
    if (pace.tokens_per_s) speeds_.note(spec, *pace.tokens_per_s);
    working_.push_back({&spec, pace, holder.who.host});
  }

  void read_stopped(const RunSpec& spec, const RunDir& run) {
    RunCounts& runs = status_.progress.runs;
    const auto attempts = read_attempts(run);
    if (!attempts.empty() && !attempts.back().retry) {
      const Attempt& last = attempts.back();
      const std::string cause = last.cause.empty() ? "" : ", " + last.cause;
      status_.failures.push_back({spec.id, last.number, last.status + cause});
      ++runs.failed;
      return;
    }
    ++(attempts.empty() ? runs.waiting : runs.interrupted);
    const auto pace = read_pace(run.timing(), tokens_per_step(spec));
    to_do_.emplace_back(&spec, pace ? pace->step : 0);
  }

  void add_times() {
    TimeLeft left(speeds_);
    for (const Working& w : working_) {
      status_.progress.active.push_back(left.add_active(*w.spec, w.pace.step, w.pace.tokens_per_s));
      status_.progress.active.back().host = w.host;
    }
    for (const auto& [spec, step] : to_do_) left.add_waiting(*spec, step);
    status_.progress.left_s = left.total_s();
  }

  struct Working {
    const RunSpec* spec;
    Pace pace;
    std::string host;
  };

  const SweepDir& sweep_;
  std::string here_;
  std::vector<RunSpec> plan_;
  SweepStatus status_;
  SpeedTable speeds_;
  std::map<PairKey, int> open_arms_;  ///< arms without a result
  std::vector<Working> working_;
  std::vector<std::pair<const RunSpec*, std::int64_t>> to_do_;  ///< and the step reached
};

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const ActiveRun& run) {
  return {{"run", run.id},
          {"host", run.host},
          {"step", run.step},
          {"max_iters", run.max_iters},
          {"tokens_per_s", or_null(run.tokens_per_s)},
          {"seconds_left", or_null(run.left_s)}};
}

Json to_json(const FailedRun& run) {
  return {{"run", run.id}, {"attempts", run.attempts}, {"status", run.status}};
}

template <typename T>
Json list(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to_json(item));
  return json;
}

Json owner_json(const std::optional<ClaimInfo>& owner) {
  if (!owner) return nullptr;
  return {{"host", owner->who.host}, {"pid", owner->who.pid}, {"since", owner->since}};
}

}  // namespace

SweepStatus read_status(const SweepDir& sweep) { return StatusReader(sweep).read(); }

Json to_json(const SweepStatus& status) {
  const RunCounts& runs = status.progress.runs;
  return {{"schema_version", 1},
          {"sweep", status.name},
          {"complete", status.complete()},
          {"planned", runs.planned},
          {"finished", runs.finished},
          {"running", runs.running},
          {"elsewhere", runs.elsewhere},
          {"waiting", runs.waiting},
          {"interrupted", runs.interrupted},
          {"failed", runs.failed},
          {"pairs", {{"planned", status.pairs_planned}, {"complete", status.pairs_complete}}},
          {"active", list(status.progress.active)},
          {"failures", list(status.failures)},
          {"seconds_left", or_null(status.progress.left_s)},
          {"owner", owner_json(status.owner)}};
}

}  // namespace sweep
