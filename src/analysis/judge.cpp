#include "sweep/analysis/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/analysis/losses.h"

namespace sweep {
namespace {

/// What one rule is applied to.
struct Case {
  const Cell& cell;
  const RunLosses& losses;
  const std::vector<Curve>& curves;
  const Curve& curve;
  const Definitions& definitions;
};

/// A run that went non-finite counts as infinitely bad.
double loss_of(const RunLosses& losses) {
  return losses.final_loss.value_or(std::numeric_limits<double>::infinity());
}

/// nullopt: the initial loss was not finite.
std::optional<double> level_of(const FailureRule& rule, const Case& run) {
  switch (rule.level) {
    case FailureRule::LossLevel::kInitialValLoss:
      return run.losses.initial_loss;
    case FailureRule::LossLevel::kUniformFloor:
      return run.cell.floors.uniform;
    case FailureRule::LossLevel::kUnigramFloor:
      return run.cell.floors.unigram;
    case FailureRule::LossLevel::kBigramFloor:
      return run.cell.floors.bigram;
    case FailureRule::LossLevel::kNumber:
      break;
  }
  return rule.number;
}

std::optional<bool> any_holds(const std::vector<FailureRule>& rules, const Case& run);

/// Three-valued: nullopt while the reference of `degraded` is not known.
std::optional<bool> holds(const FailureRule& rule, const Case& run) {
  const double loss = loss_of(run.losses);
  switch (rule.kind) {
    case FailureRule::Kind::kNonfinite:
      return !run.losses.final_loss;
    case FailureRule::Kind::kDiverged:
      return any_holds(run.definitions.diverged, run);
    case FailureRule::Kind::kFinalLossAtLeast: {
      const auto level = level_of(rule, run);
      return !level || loss >= *level - rule.minus;
    }
    case FailureRule::Kind::kDegraded:
      break;
  }
  if (std::isinf(loss)) return true;
  const auto reference = degraded_reference(run.curves, run.curve, rule.of);
  if (!reference) return std::nullopt;
  return loss > *reference + rule.by;
}

std::optional<bool> any_holds(const std::vector<FailureRule>& rules, const Case& run) {
  std::optional<bool> result = false;
  for (const FailureRule& rule : rules) {
    const auto held = holds(rule, run);
    if (held == true) return true;
    if (!held) result = std::nullopt;
  }
  return result;
}

RunStatus status_named_by(const FailureRule& rule) {
  switch (rule.kind) {
    case FailureRule::Kind::kNonfinite:
      return RunStatus::kNonfinite;
    case FailureRule::Kind::kFinalLossAtLeast:
      return rule.level == FailureRule::LossLevel::kInitialValLoss ? RunStatus::kBlowup
                                                                   : RunStatus::kCollapsed;
    case FailureRule::Kind::kDegraded:
      return RunStatus::kDegraded;
    case FailureRule::Kind::kDiverged:
      break;
  }
  return RunStatus::kOk;  // stands for the rules of `diverged`, which are asked one by one
}

/// The first status, in the order of the enumeration, that a registered rule gives.
RunStatus status_of(const Case& run) {
  if (!run.losses.final_loss) return RunStatus::kNonfinite;
  RunStatus status = RunStatus::kOk;
  for (const auto* rules : {&run.definitions.diverged, &run.definitions.unusable}) {
    for (const FailureRule& rule : *rules) {
      const auto held = holds(rule, run);
      if (held == true) status = std::min(status, status_named_by(rule));
      if (!held) status = std::min(status, RunStatus::kUnjudged);
    }
  }
  return status;
}

Judgement judge(const Case& run) {
  return {status_of(run), any_holds(run.definitions.diverged, run),
          any_holds(run.definitions.unusable, run)};
}

}  // namespace

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::kMissing:
      return "missing";
    case RunStatus::kNonfinite:
      return "nonfinite";
    case RunStatus::kBlowup:
      return "blowup";
    case RunStatus::kCollapsed:
      return "collapsed";
    case RunStatus::kDegraded:
      return "degraded";
    case RunStatus::kUnjudged:
      return "unjudged";
    case RunStatus::kOk:
      break;
  }
  return "ok";
}

std::optional<double> degraded_reference(const std::vector<Curve>& curves, const Curve& of,
                                         const std::string& scope) {
  std::optional<double> reference;
  for (const Curve& curve : curves) {
    if (curve.stratum != of.stratum) continue;
    if (scope == "same_arm_and_stratum" && curve.arm != of.arm) continue;
    const auto best = best_cell(curve);
    if (!best || std::isinf(best->mean)) continue;
    reference = std::min(best->mean, reference.value_or(best->mean));
  }
  return reference;
}

std::vector<Curve> judged(std::vector<Curve> curves, const Definitions& definitions) {
  const std::vector<Curve> facts = curves;
  for (Curve& curve : curves) {
    for (Cell& cell : curve.cells) {
      for (CellRun& run : cell.runs) {
        run.judgement =
            run.losses ? judge({cell, *run.losses, facts, curve, definitions}) : Judgement{};
      }
    }
  }
  return curves;
}

CellCounts counts_of(const Cell& cell) {
  CellCounts counts;
  counts.planned = cell.runs.size();
  for (const CellRun& run : cell.runs) {
    if (!run.losses) continue;
    ++counts.finished;
    if (!run.losses->final_loss) ++counts.nonfinite;
    if (run.judgement.diverged == true) ++counts.diverged;
    if (run.judgement.unusable == true) ++counts.unusable;
  }
  return counts;
}

}  // namespace sweep
