#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sweep/analysis/analysis.h"
#include "sweep/base/text.h"

namespace sweep {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A sweep made by hand: two arms over learning rates and depths, with the losses a test says.
class StudyBuilder {
 public:
  StudyBuilder() {
    prereg_.title = "A study made by hand";
    prereg_.arms = {{"base", {{"model.qk_norm", Value(std::string("none"))}}},
                    {"qknorm", {{"model.qk_norm", Value(std::string("rms_per_head"))}}}};
    prereg_.roles.strata = {"model.n_layer"};
    prereg_.definitions = default_definitions();
  }

  /// One run. NaN: it went non-finite; nullopt: it has no result.
  StudyBuilder& run(const std::string& arm, std::optional<int> depth, double lr, std::uint64_t seed,
                    std::optional<double> final_loss, double initial_loss = 4.17) {
    RunRecord record;
    RunSpec& spec = record.spec;
    spec.arm = arm;
    spec.seed = seed;
    spec.id = fmt::format("{}{}-lr{}-s{}", arm, depth ? fmt::format("-L{}", *depth) : "",
                          format_lr(lr), seed);
    spec.levels = {{"train.learning_rate", lr}};
    if (depth) spec.levels.push_back({"model.n_layer", *depth});
    spec.config.model.n_layer = depth.value_or(2);
    spec.config.model.n_embd = 64;
    spec.config.model.n_head = 2;
    spec.config.model.block_size = 64;
    spec.config.model.qk_norm = arm == "base" ? QkNorm::kNone : QkNorm::kRmsPerHead;
    spec.config.train.learning_rate = lr;
    spec.data = facts();
    if (final_loss) record.result = result(*final_loss, initial_loss);
    records_.push_back(record);
    return *this;
  }

  /// The seeds of one cell, numbered from 1.
  StudyBuilder& cell(const std::string& arm, std::optional<int> depth, double lr,
                     std::initializer_list<std::optional<double>> losses) {
    std::uint64_t seed = 1;
    for (const auto& loss : losses) run(arm, depth, lr, seed++, loss);
    return *this;
  }

  Prereg& prereg() { return prereg_; }
  [[nodiscard]] const Prereg& prereg() const { return prereg_; }
  std::vector<RunRecord>& records() { return records_; }
  [[nodiscard]] const std::vector<RunRecord>& records() const { return records_; }
  CorpusFloors& floors() { return floors_; }
  EvalTable& evals() { return evals_; }

  [[nodiscard]] FloorTable floor_table() const {
    FloorTable table;
    for (const RunRecord& record : records_) table[floor_key(record.spec)] = floors_;
    return table;
  }

  [[nodiscard]] std::vector<Curve> curves() const {
    return judged(group(prereg_, records_, floor_table(), evals_), prereg_.definitions);
  }

  [[nodiscard]] Analysis analysis() const {
    return analyse(prereg_, prereg_.definitions, group(prereg_, records_, floor_table(), evals_));
  }

  static CorpusFacts facts() {
    CorpusFacts facts;
    facts.hash = "c0ffee";
    facts.description = "a text made by hand";
    facts.tokenizer = "char";
    facts.vocab_size = 65;
    facts.train_tokens = 9000;
    facts.val_tokens = 1000;
    facts.known_entropy = kNan;
    return facts;
  }

 private:
  static RunResult result(double final_loss, double initial_loss) {
    RunResult result;
    result.initial_val_loss = initial_loss;
    result.final_val_loss = final_loss;
    if (std::isnan(final_loss)) {
      result.outcome = {RunOutcome::Kind::kNonfinite, 17, "train_loss"};
    }
    return result;
  }

  Prereg prereg_;
  std::vector<RunRecord> records_;
  EvalTable evals_;
  CorpusFloors floors_{4.174, 3.347, 2.482};
};

/// science: the measured table 7.3 (600 steps, depths 2 and 4, two seeds, initial loss 4.17).
inline StudyBuilder measured_table() {
  StudyBuilder study;
  const auto row = [&](double lr, std::array<double, 8> l) {
    study.cell("base", 2, lr, {l[0], l[1]}).cell("qknorm", 2, lr, {l[2], l[3]});
    study.cell("base", 4, lr, {l[4], l[5]}).cell("qknorm", 4, lr, {l[6], l[7]});
  };
  row(3e-3, {2.190, 2.220, 2.173, 2.180, 2.217, 2.202, 2.198, 2.189});
  row(1e-2, {2.042, 2.059, 2.375, 2.092, 2.053, 2.078, 2.154, 2.084});
  row(3e-2, {2.513, 2.540, 2.389, 2.065, 2.112, 2.096, 2.257, 2.119});
  row(1e-1, {2.876, 2.895, 2.397, 2.368, 2.953, 3.022, 2.309, 2.330});
  row(3e-1, {3.240, 3.378, 2.489, 2.418, 3.387, 3.324, 2.407, 2.468});
  return study;
}

}  // namespace sweep
