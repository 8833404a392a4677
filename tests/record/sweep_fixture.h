#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/record/registration.h"
#include "sweep/record/run_record.h"

namespace sweep {

/// Two arms, two rates, two seeds, on a short synthetic text.
inline const std::string kSweepText =
    "title: T\n"
    "question: Q\n"
    "arms:\n"
    "  base: {model.qk_norm: none}\n"
    "  qk: {model.qk_norm: rms_per_head}\n"
    "grid:\n"
    "  train.learning_rate: [1e-3, 1e-2]\n"
    "  seed: [1, 2]\n"
    "model: {n_layer: 1, n_embd: 16, n_head: 2, block_size: 16}\n"
    "data: {corpus: synthetic, synthetic_chars: 4000}\n"
    "train: {max_iters: 10}\n"
    "measure: {eval_tokens: 64}\n"
    "definitions:\n"
    "  unusable: {any: [{rule: degraded, by: 0.3}]}\n"
    "  ranges: {whole: [1e-4, 10]}\n"
    "  gap: {of: final_val_loss, minuend: base, subtrahend: qk, average: range, per: seed}\n"
    "hypotheses:\n"
    "  H1: {claim: c, supported_if: {quantity: gap, range: whole, at_least: 0.1, seeds: all},\n"
    "       contradicted_if: {quantity: gap, range: whole, at_most: 0, seeds: all}}\n";

inline Json numerics(const std::string& fingerprint) {
  return {{"schema_version", 1}, {"instruction_set", fingerprint}, {"fingerprint", fingerprint}};
}

/// A registered sweep in a folder of its own, whose runs a test finishes by hand.
class RegisteredSweep : public testing::Test {
 protected:
  RegisteredSweep() {
    register_sweep(write("study.yaml", kSweepText), sweep_, {numerics("here"), "a test"});
  }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    publish(folder_ / name, text);
    return folder_ / name;
  }

  /// The registered text with one piece replaced, as a file.
  std::filesystem::path changed(const std::string& from, const std::string& to) {
    std::string text = kSweepText;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return write("changed.yaml", text.replace(at, from.size(), to));
  }

  [[nodiscard]] std::vector<std::string> plan() const {
    std::vector<std::string> ids;
    for (const RunSpec& spec : read_plan(sweep_)) ids.push_back(spec.id);
    return ids;
  }

  /// Gives the first `n` runs of the plan a result.
  void finish(std::size_t n, const std::string& fingerprint = "here") {
    for (const RunSpec& spec : read_plan(sweep_)) {
      if (n == 0) return;
      if (std::filesystem::exists(sweep_.run(spec.id).result())) continue;
      finish_run(spec, fingerprint);
      --n;
    }
  }

  void finish_run(const RunSpec& spec, const std::string& fingerprint) {
    const RunDir run = sweep_.run(spec.id);
    std::filesystem::create_directories(run.path);
    publish(run.config(), to_text(to_json(spec)));
    publish(run.metrics(), "");
    publish(run.final_weights(), "weights");
    RunResult result;
    result.id = spec.id;
    result.outcome.step = 10;
    result.initial_val_loss = 4;
    result.final_val_loss = 2;
    result.config_hash = sha256_of_file(run.config());
    result.metrics_hash = sha256_of_file(run.metrics());
    result.weights_hash = sha256_of_file(run.final_weights());
    result.numeric_identity = fingerprint;
    publish(run.result(), to_text(to_json(result)));
  }

  /// Records an amendment to `file`.
  Amendment amend(const std::filesystem::path& file, AmendmentKind kind = AmendmentKind::kChange) {
    record_amendment(sweep_, draft_amendment(sweep_, file, kind, {"what", "why", "impact"}));
    return read_amendments(sweep_).back();
  }

  TemporaryFolder folder_;
  SweepDir sweep_{folder_ / "study.sweep"};
};

}  // namespace sweep
