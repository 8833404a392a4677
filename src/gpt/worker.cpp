#include "gpt/worker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "gpt/checkpoint.h"
#include "gpt/identity.h"
#include "gpt/pairing.h"
#include "gpt/schedule.h"
#include "gpt/sign_of_life.h"
#include "gpt/trainer.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/process.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/prereg/lock.h"
#include "sweep/record/claim.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

Claim take_claim(const RunDir& run, const WorkerOptions& options) {
  const std::string token = options.token.empty() ? make_token() : options.token;
  auto claim = Claim::try_take(run.claim(), options.attempt, token);
  if (!claim) fail(ExitCode::kOwned, "another worker lives on {}", run.id());
  return std::move(*claim);
}

void check_tokens(const RunDir& run, const CorpusFacts& facts) {
  const fs::path file = run.data() / (facts.hash + ".bin");
  if (sha256_of_file(file) != facts.hash) {
    fail(ExitCode::kBadInput, "{} does not hold the tokens that were registered (its hash differs)",
         file.filename().string());
  }
}

/// What the sweep has registered, so that all of its runs take the same; for a run folder that
/// belongs to no registered sweep the fastest that can train it.
KernelPath kernel_path_of(const RunDir& run, const Config& config) {
  const fs::path lock = SweepDir{run.path.parent_path().parent_path()}.lock();
  if (!fs::exists(lock)) return fastest_kernel_path(config);
  const std::string name =
      lock_from_json(read_json(lock)).numeric_identity.value("kernel_path", "");
  const auto path = kernel_path_named(name);
  if (!path) fail(ExitCode::kBadInput, "{} registers the kernel path '{}'", lock.string(), name);
  return *path;
}

/// One attempt at one run.
class Attempt {
 public:
  Attempt(const RunDir& run, const WorkerOptions& options, const StopReason& stop)
      : run_(run),
        stop_(stop),
        checkpoint_seconds_(options.checkpoint_seconds),
        claim_(take_claim(run, options)),
        config_hash_(sha256_of_file(run.config())),
        spec_(run_spec_from_json(read_json(run.config()))),
        config_(resolved_config(spec_)),
        tokens_(run.data(), spec_.data),
        path_(kernel_path_of(run, config_)),
        identity_(numeric_identity(config_.train.device, path_)),
        trainer_(config_, spec_.seed, train_part(), val_part(), path_),
        updates_(trainer_.updates_per_read()),
        shared_init_hash_(shared_init_hash(config_.model, trainer_.weights())),
        checkpoints_(run, config_hash_, identity_.fingerprint) {
    check_tokens(run, spec_.data);
    say(stdout, "{}: {} parameters on {}, {}, {} path, matrix products by {}, attempt {}", spec_.id,
        trainer_.parameter_count(), identity_.device,
        count_of(static_cast<std::size_t>(identity_.threads), "thread"), identity_.kernel_path,
        identity_.gemm, options.attempt);
  }

  int carry_out() {
    resume();
    metrics_.emplace(run_.metrics());
    life_.emplace(run_, claim_, progress_.step, config_.train.max_iters, tokens_per_step());
    saved_s_ = monotonic_s();
    if (!stop_() && std::isnan(progress_.initial_val_loss)) measure_start();
    while (!outcome_ && progress_.step < config_.train.max_iters) {
      if (const auto why = stop_()) return stop_at_checkpoint(*why);
      if (is_checkpoint_due()) save_checkpoint();
      advance();
      show_life();
    }
    finish();
    return static_cast<int>(ExitCode::kOk);
  }

 private:
  [[nodiscard]] std::span<const Token> train_part() const {
    return {tokens_.train(), static_cast<std::size_t>(tokens_.train_size())};
  }
  [[nodiscard]] std::span<const Token> val_part() const {
    return {tokens_.val(), static_cast<std::size_t>(tokens_.val_size())};
  }
  [[nodiscard]] std::int64_t tokens_per_step() const {
    return config_.train.batch_size * config_.model.block_size;
  }

  /// Restores the newest usable checkpoint and cuts metrics.jsonl back to it, or to nothing.
  void resume() {
    std::vector<std::string> notes;
    for (const Checkpoint& checkpoint : checkpoints_.load(notes)) {
      if (try_restore(checkpoint, notes)) break;
    }
    for (const std::string& note : notes) say(stdout, "not used: {}", note);
    if (fs::exists(run_.metrics())) truncate_file(run_.metrics(), progress_.metrics_bytes);
    saved_step_ = progress_.step > 0 ? progress_.step : -1;
    if (progress_.step > 0) say(stdout, "carried on from step {}", progress_.step);
  }

  bool try_restore(const Checkpoint& checkpoint, std::vector<std::string>& notes) {
    try {
      // A machine that lost power may have lost the end of the journal, too.
      const auto size = fs::exists(run_.metrics()) ? fs::file_size(run_.metrics()) : 0;
      if (size < checkpoint.progress.metrics_bytes) {
        fail(ExitCode::kBadInput, "the checkpoint of step {} needs {} bytes of metrics.jsonl",
             checkpoint.progress.step, checkpoint.progress.metrics_bytes);
      }
      trainer_.restore(checkpoint.tensors, checkpoint.progress.step);
      progress_ = checkpoint.progress;
      return true;
    } catch (const Error& error) {
      notes.emplace_back(error.what());
      return false;
    }
  }

  void note_nonfinite(const std::string& quantity) {
    outcome_ = RunOutcome{RunOutcome::Kind::kNonfinite, progress_.step, quantity};
  }

  void evaluate(MetricPoint& point) {
    point.val_loss = progress_.val_loss = trainer_.validation_loss([this] { show_life(); });
    if (!std::isfinite(progress_.val_loss)) note_nonfinite("val_loss");
  }

  void measure_mechanism(MetricPoint& point) {
    const auto& steps = config_.measure.mechanism_iters;
    if (config_.measure.mechanism.empty() ||
        std::find(steps.begin(), steps.end(), point.step) == steps.end()) {
      return;
    }
    point.mechanism = trainer_.mechanism([this] { show_life(); });
  }

  void measure_start() {
    MetricPoint point;
    evaluate(point);
    progress_.initial_val_loss = progress_.val_loss;
    measure_mechanism(point);
    write(point);
  }

  void advance() {
    const auto left = next_measured_step(config_, progress_.step) - progress_.step;
    const std::size_t most = std::min(updates_.size(), static_cast<std::size_t>(left));
    const std::size_t made = trainer_.update(std::span(updates_).first(most));
    for (const Update& update : std::span(updates_).first(made)) take_note(update);
  }

  void take_note(const Update& update) {
    ++progress_.step;
    progress_.train_loss = update.train_loss;
    if (update.clipped) ++progress_.clip_count;
    if (!update.nonfinite.empty()) note_nonfinite(update.nonfinite);
    write(measurements_after(update));
  }

  MetricPoint measurements_after(const Update& update) {
    MetricPoint point;
    point.step = progress_.step;
    const bool is_last = outcome_ || progress_.step == config_.train.max_iters;
    if (is_last || progress_.step % config_.measure.log_interval == 0) {
      point.train_loss = update.train_loss;
      point.lr = update.lr;
      point.grad_norm = update.grad_norm;
    }
    if (outcome_) return point;
    if (is_last || progress_.step % config_.measure.eval_interval == 0) evaluate(point);
    measure_mechanism(point);
    return point;
  }

  void show_life() { life_->beat(progress_.step); }

  void write(const MetricPoint& point) {
    if (!point.train_loss && !point.val_loss && point.mechanism.empty()) return;
    metrics_->append(to_line(to_json(point)));
    progress_.metrics_bytes = metrics_->size();
  }

  [[nodiscard]] bool is_checkpoint_due() const {
    return progress_.step > saved_step_ && monotonic_s() - saved_s_ >= checkpoint_seconds_;
  }

  void save_checkpoint() {
    // The journal first: a checkpoint must never point beyond what is on the disk.
    metrics_->sync();
    checkpoints_.save(progress_, trainer_.state());
    saved_step_ = progress_.step;
    saved_s_ = monotonic_s();
  }

  int stop_at_checkpoint(const std::string& why) {
    if (progress_.step > saved_step_ && !std::isnan(progress_.initial_val_loss)) save_checkpoint();
    life_->write(progress_.step);
    say(stdout, "{}: stopped at step {} of {}, to be carried on", why, progress_.step,
        config_.train.max_iters);
    claim_.give_back();
    return kExitCheckpointed;
  }

  [[nodiscard]] RunResult result(const std::string& weights) const {
    RunResult result;
    result.id = spec_.id;
    result.outcome =
        outcome_.value_or(RunOutcome{RunOutcome::Kind::kCompleted, progress_.step, ""});
    result.initial_val_loss = progress_.initial_val_loss;
    result.final_val_loss =
        outcome_ ? std::numeric_limits<double>::quiet_NaN() : progress_.val_loss;
    if (progress_.step > 0) result.final_train_loss = progress_.train_loss;
    result.clip_count = progress_.clip_count;
    result.tokens_seen = trainer_.step() * tokens_per_step();
    result.config_hash = config_hash_;
    result.metrics_hash = sha256_of_file(run_.metrics());
    result.weights_hash = sha256(weights);
    result.numeric_identity = identity_.fingerprint;
    result.shared_init_hash = shared_init_hash_;
    result.batches_hash = batches_hash(config_, spec_.seed, tokens_.train_size());
    return result;
  }

  void finish() {
    metrics_->sync();
    const std::string weights = write_safetensors(trainer_.weights(), {});
    const RunResult published = result(weights);
    life_->write(progress_.step);
    publish(run_.final_weights(), weights);
    // A worker that was taken for dead and superseded must not speak for the run.
    claim_.renew();
    publish(run_.result(), to_text(to_json(published)));
    CheckpointPair::remove(run_);
    say(stdout, "{} at step {}, validation loss {:.4f} -> {:.4f}",
        outcome_ ? "non-finite " + outcome_->quantity : "finished", progress_.step,
        published.initial_val_loss, published.final_val_loss);
    claim_.give_back();
  }

  RunDir run_;
  const StopReason& stop_;
  double checkpoint_seconds_;
  Claim claim_;
  std::string config_hash_;
  RunSpec spec_;
  Config config_;
  TokenFile tokens_;
  KernelPath path_;
  NumericIdentity identity_;
  Trainer trainer_;
  std::vector<Update> updates_;   // made at a time
  std::string shared_init_hash_;  // taken before a checkpoint is restored
  CheckpointPair checkpoints_;
  std::optional<LineWriter> metrics_;
  std::optional<SignOfLife> life_;
  Progress progress_;
  std::optional<RunOutcome> outcome_;
  std::int64_t saved_step_ = -1;
  double saved_s_ = 0;
};

}  // namespace

int work_on_run(const WorkerOptions& options, const StopReason& stop) {
  const RunDir run{fs::absolute(options.run_dir).lexically_normal()};
  if (fs::exists(run.result())) {
    CheckpointPair::remove(run);
    return static_cast<int>(ExitCode::kOk);
  }
  return Attempt(run, options, stop).carry_out();
}

}  // namespace sweep
