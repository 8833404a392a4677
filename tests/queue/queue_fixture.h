#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"
#include "sweep/base/json.h"
#include "sweep/base/process.h"
#include "sweep/prereg/run_spec.h"
#include "sweep/queue/attempts.h"
#include "sweep/queue/queue.h"
#include "sweep/record/run_record.h"

namespace sweep {

/// A plan of pairs: run ids base-s1-..., qknorm-s1-..., base-s2-... Each run takes 5 steps.
inline std::vector<RunSpec> small_plan(int pairs) {
  std::vector<RunSpec> plan;
  for (int seed = 1; seed <= pairs; ++seed) {
    for (const char* arm : {"base", "qknorm"}) {
      RunSpec spec;
      spec.arm = arm;
      spec.seed = static_cast<std::uint64_t>(seed);
      spec.id = fmt::format("{}-s{}-{:08x}", arm, seed, 2 * seed);
      spec.levels = {{"train.learning_rate", 0.01}};
      spec.config.train.max_iters = 5;
      spec.data.vocab_size = 65;
      plan.push_back(spec);
    }
  }
  return plan;
}

/// Keeps what it is told.
class RecordingView : public ProgressView {
 public:
  void message(const std::string& line) override { messages.push_back(line); }
  void finished(const std::string& run, const Progress&) override { finished_runs.push_back(run); }
  void update(const Progress& progress) override {
    last = progress;
    most_active = std::max(most_active, progress.active.size());
  }
  void close() override { closed = true; }

  [[nodiscard]] bool said(const std::string& part) const {
    for (const auto& line : messages) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

  std::vector<std::string> messages;
  std::vector<std::string> finished_runs;
  Progress last;
  std::size_t most_active = 0;
  bool closed = false;
};

/// Waits until `condition` holds; a minute is far more than anything here takes.
inline bool eventually(const std::function<bool()>& condition) {
  const double deadline_s = monotonic_s() + 60;
  while (!condition()) {
    if (monotonic_s() > deadline_s) return false;
    ::usleep(2000);
  }
  return true;
}

/// A sweep folder with a plan, and the stub trainer to carry it out.
class QueueTest : public testing::Test {
 protected:
  QueueTest() {
    ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    ::unsetenv("STUB_BEHAVIOUR");
    options_.trainer = STUB_TRAINER;
    options_.reason = "test";
    options_.timing.retry_backoff_s = 0.01;
    options_.timing.kill_grace_s = 0.2;
    make_sweep(2);
  }
  ~QueueTest() override { ::unsetenv("STUB_BEHAVIOUR"); }

  void make_sweep(int pairs) {
    plan_ = small_plan(pairs);
    std::filesystem::create_directories(sweep_.path);
    std::string lines;
    for (const auto& spec : plan_) lines += to_line(to_json(spec)) + "\n";
    publish(sweep_.plan(), lines);
  }

  static void behave(const std::string& json) { ::setenv("STUB_BEHAVIOUR", json.c_str(), 1); }

  QueueSummary run() { return run_queue(sweep_, plan_, execution_, options_, view_); }

  [[nodiscard]] RunDir run_dir(std::size_t i) const { return sweep_.run(plan_[i].id); }
  [[nodiscard]] std::vector<Attempt> attempts(std::size_t i) const {
    return read_attempts(run_dir(i));
  }
  /// How often the run was trained to its end.
  [[nodiscard]] std::size_t completions(std::size_t i) const {
    return read_lines(run_dir(i).path / "completions").size();
  }
  void expect_each_completed_once() const {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      EXPECT_TRUE(read_result(run_dir(i))) << plan_[i].id;
      EXPECT_EQ(completions(i), 1U) << plan_[i].id;
    }
  }
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> names;
    for (const auto& line : read_lines(sweep_.events())) {
      names.push_back(Json::parse(line).at("event").get<std::string>());
    }
    return names;
  }

  TemporaryFolder folder_;
  SweepDir sweep_{folder_ / "demo.sweep"};
  std::vector<RunSpec> plan_;
  ExecutionConfig execution_;
  QueueOptions options_;
  RecordingView view_;
};

}  // namespace sweep
