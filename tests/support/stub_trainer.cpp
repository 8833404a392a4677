// A worker without LibTorch that speaks the protocol of sweep-train: for tests of the queue and of
// the command line. Trains nothing; its "losses" are a formula of arm, learning rate and step.
//
// How it behaves stands in the environment's STUB_BEHAVIOUR, one JSON object:
//   {"step_ms": 5,                        how long a step takes; 0 when absent
//    "nonfinite_at": 3,                   the loss is NaN from this step on: the run ends there
//    "how": "kill", "at": 3,              from step 3 on misbehave (see `misbehave`) ...
//    "attempts": 1,                       ... in so many attempts; in all when absent
//    "runs": {"qknorm": {...}}}           the same keys for runs whose id contains the word
// STUB_NUMERICS=WORD stands for another machine.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/json.h"
#include "sweep/base/process.h"
#include "sweep/record/claim.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t g_stop = 0;

struct Options {
  RunDir run;
  std::int64_t attempt = 1;
  int lifeline = -1;
};

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = words[i].starts_with("--") && i + 1 < words.size();
    if (!words[i].starts_with("--")) {
      options.run.path = words[i];
    } else if (!has_value) {
      fail(ExitCode::kBadInput, "{} needs a value", words[i]);
    } else {
      const std::string& value = words[++i];
      if (words[i - 1] == "--attempt") options.attempt = std::stoll(value);
      if (words[i - 1] == "--lifeline") options.lifeline = std::stoi(value);
    }
  }
  return options;
}

Json behaviour_for(const std::string& id) {
  const char* const text = std::getenv("STUB_BEHAVIOUR");
  Json all = text == nullptr ? Json::object() : Json::parse(text);
  const Json runs = all.value("runs", Json::object());
  for (const auto& [word, own] : runs.items()) {
    if (id.find(word) != std::string::npos) all.update(own);
  }
  return all;
}

std::string fingerprint() {
  const char* const word = std::getenv("STUB_NUMERICS");
  return sha256(word == nullptr ? "stub" : word);
}

bool lifeline_ended(int lifeline, int milliseconds) {
  struct pollfd fd = {lifeline, POLLIN, 0};
  return ::poll(&fd, 1, milliseconds) > 0;
}

/// By a signal or the end of the lifeline; waits `milliseconds` for one of them.
bool told_to_stop(int lifeline, int milliseconds) {
  return lifeline_ended(lifeline, g_stop != 0 ? 0 : milliseconds) || g_stop != 0;
}

class StubRun {
 public:
  explicit StubRun(const Options& options)
      : options_(options),
        run_(options.run),
        spec_(run_spec_from_json(read_json(run_.config()))),
        behaviour_(behaviour_for(spec_.id)) {}

  int work() {
    if (fs::exists(run_.result())) return 0;
    auto claim = Claim::try_take(run_.claim(), options_.attempt, make_token());
    if (!claim) return static_cast<int>(ExitCode::kOwned);
    resume();
    const double begin_s = monotonic_s();
    LineWriter timing(run_.timing());
    const std::int64_t last = spec_.config.train.max_iters;
    for (;; ++step_) {
      write_timing(timing, begin_s);
      write_metrics();
      if (step_ == last || is_nonfinite()) break;
      claim->renew();
      if (told_to_stop(options_.lifeline, behaviour_.value("step_ms", 0))) return checkpoint();
      if (const auto code = misbehave()) return *code;
    }
    claim->renew();
    return finish();
  }

 private:
  /// From the checkpoint's step, with the metrics cut back to it.
  void resume() {
    const auto saved = read_file_if_exists(run_.checkpoint_a());
    if (!saved) {
      publish(run_.metrics(), "");
      return;
    }
    const Json checkpoint = Json::parse(*saved);
    step_ = checkpoint.at("step").get<std::int64_t>();
    truncate_file(run_.metrics(), checkpoint.at("metrics_bytes").get<std::uint64_t>());
  }

  int checkpoint() {
    LineWriter metrics(run_.metrics());
    // The line of this step is written again when the run is carried on.
    const std::string line = metric_line() + "\n";
    const Json saved = {{"step", step_}, {"metrics_bytes", metrics.size() - line.size()}};
    publish(run_.checkpoint_a(), to_line(saved));
    return kExitCheckpointed;
  }

  [[nodiscard]] bool is_nonfinite() const {
    return behaviour_.contains("nonfinite_at") && step_ >= behaviour_.at("nonfinite_at");
  }

  /// kill: ends as by kill -9. exit: with "code". no_result: exit 0. checkpoint: exit 75 unasked.
  /// hang: no sign of life until it is told to stop. obstinate: hang, deaf to SIGTERM.
  std::optional<int> misbehave() {
    if (!behaviour_.contains("how") || step_ < behaviour_.value("at", std::int64_t{0}) ||
        options_.attempt > behaviour_.value("attempts", std::int64_t{1000000})) {
      return std::nullopt;
    }
    const std::string how = behaviour_.at("how");
    if (how == "kill") ::raise(SIGKILL);
    if (how == "exit") return behaviour_.at("code").get<int>();
    if (how == "no_result") return 0;
    if (how == "checkpoint") return checkpoint();
    if (how == "obstinate") {
      while (!lifeline_ended(options_.lifeline, 1000)) continue;
      return 1;
    }
    while (!told_to_stop(options_.lifeline, 1000)) continue;
    return checkpoint();
  }

  void write_timing(LineWriter& timing, double begin_s) {
    timing.append(to_line({{"step", step_},
                           {"max_iters", spec_.config.train.max_iters},
                           {"wall_s", monotonic_s() - begin_s},
                           {"tokens_per_s", 1000.0}}));
  }

  [[nodiscard]] double loss() const {
    const double x = std::log10(spec_.config.train.learning_rate) + 2;
    const auto done = static_cast<double>(step_) /
                      static_cast<double>(std::max<std::int64_t>(1, spec_.config.train.max_iters));
    const double optimum = 2.0 + 0.3 * x * x + 0.01 * static_cast<double>(spec_.seed);
    return kInitialLoss + (optimum - kInitialLoss) * done;
  }

  [[nodiscard]] std::string metric_line() const {
    MetricPoint point;
    point.step = step_;
    point.val_loss = is_nonfinite() ? std::numeric_limits<double>::quiet_NaN() : loss();
    return to_line(to_json(point));
  }

  void write_metrics() { LineWriter(run_.metrics()).append(metric_line()); }

  int finish() {
    const bool finite = !is_nonfinite();
    publish(run_.final_weights(), std::string("\2\0\0\0\0\0\0\0{}", 10));
    RunResult result;
    result.id = spec_.id;
    result.outcome = {finite ? RunOutcome::Kind::kCompleted : RunOutcome::Kind::kNonfinite, step_,
                      finite ? "" : "val_loss"};
    result.initial_val_loss = kInitialLoss;
    result.final_val_loss = finite ? loss() : std::numeric_limits<double>::quiet_NaN();
    result.tokens_seen = step_ * spec_.config.train.batch_size * spec_.config.model.block_size;
    result.config_hash = sha256_of_file(run_.config());
    result.metrics_hash = sha256_of_file(run_.metrics());
    result.weights_hash = sha256_of_file(run_.final_weights());
    result.numeric_identity = fingerprint();
    // For tests that count how often a run was trained to its end.
    append_line(run_.path / "completions", std::to_string(options_.attempt));
    publish(run_.result(), to_text(to_json(result)));
    fs::remove(run_.checkpoint_a());
    return 0;
  }

  static constexpr double kInitialLoss = 4.2;
  Options options_;
  RunDir run_;
  RunSpec spec_;
  Json behaviour_;
  std::int64_t step_ = 0;
};

void print_identity() {
  const Json identity = {
      {"schema_version", 1}, {"kernel_path", "plain"}, {"device", "cpu"},
      {"libtorch", "none"},  {"gemm", "none"},         {"instruction_set", "none"},
      {"threads", 1},        {"reproducible", true},   {"fingerprint", fingerprint()}};
  fmt::print("{}\n", to_line(identity));
}

void print_probe() {
  const Json probe = {
      {"schema_version", 1}, {"seconds_per_step", 0.001}, {"eval_seconds_per_token", 1e-6},
      {"tokens_per_s", 1e6}, {"startup_s", 0.01},         {"peak_rss_bytes", 10000000}};
  fmt::print("{}\n", to_line(probe));
}

int run_stub(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "--identity") {
    print_identity();
    return 0;
  }
  if (!words.empty() && words[0] == "--probe") {
    print_probe();
    return 0;
  }
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    std::signal(number, [](int) { g_stop = 1; });
  }
  return StubRun(parse_options(words)).work();
}

}  // namespace
}  // namespace sweep

int main(int argc, char** argv) {
  try {
    return sweep::run_stub({argv + 1, argv + argc});
  } catch (const sweep::Error& e) {
    // Not fmt::print: it throws when the disk that holds the log is full.
    std::fputs((std::string(e.what()) + "\n").c_str(), stderr);
    return static_cast<int>(e.code());
  }
}
