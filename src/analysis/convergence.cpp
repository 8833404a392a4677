#include "sweep/analysis/convergence.h"

#include <algorithm>
#include <iterator>

namespace sweep {
namespace {

bool reached(const EvalPoint& eval, double target) { return eval.loss && *eval.loss <= target; }

/// Whether the evaluations after `first` stay at or below the target.
bool confirmed(std::span<const EvalPoint> evals, std::size_t first, double target,
               std::int64_t confirm) {
  const std::size_t last = std::min(
      evals.size(), first + 1 + static_cast<std::size_t>(std::max<std::int64_t>(confirm, 0)));
  return std::all_of(std::next(evals.begin(), static_cast<std::ptrdiff_t>(first)),
                     std::next(evals.begin(), static_cast<std::ptrdiff_t>(last)),
                     [&](const EvalPoint& eval) { return reached(eval, target); });
}

/// Where the line from the evaluation before passes the target.
double interpolated(std::span<const EvalPoint> evals, std::size_t first, double target) {
  const auto step = static_cast<double>(evals[first].step);
  if (first == 0 || !evals[first - 1].loss) return step;
  const auto before = static_cast<double>(evals[first - 1].step);
  const double above = *evals[first - 1].loss;
  if (above <= target) return step;  // it was there once and bounced
  return before + (step - before) * (above - target) / (above - *evals[first].loss);
}

/// The level that a rule names, on the tokens of this curve.
std::optional<double> named_level(FailureRule::LossLevel level, const Cell& cell) {
  switch (level) {
    case FailureRule::LossLevel::kUniformFloor:
      return cell.floors.uniform;
    case FailureRule::LossLevel::kUnigramFloor:
      return cell.floors.unigram;
    case FailureRule::LossLevel::kBigramFloor:
      return cell.floors.bigram;
    case FailureRule::LossLevel::kInitialValLoss:
    case FailureRule::LossLevel::kNumber:
      break;
  }
  return std::nullopt;
}

Finding<StepsToLoss> steps_of(const CellRun& run, const Cell& cell, const Finding<double>& target,
                              std::int64_t confirm) {
  const double* loss = value_of(target);
  if (loss == nullptr) return std::get<Undefined>(target);
  if (!run.losses) return Undefined{"a run is missing", {run.id}};
  return steps_to_loss(run.evals, *loss, confirm, static_cast<double>(cell.horizon));
}

}  // namespace

StepsToLoss steps_to_loss(std::span<const EvalPoint> evals, double target, std::int64_t confirm,
                          double horizon) {
  for (std::size_t i = 0; i < evals.size(); ++i) {
    if (confirmed(evals, i, target, confirm)) return {interpolated(evals, i, target), horizon};
  }
  return {std::nullopt, horizon};
}

Finding<double> convergence_target(const Definitions::Convergence& definition, const Curve& curve,
                                   const std::vector<PilotBest>& pilot) {
  if (definition.pilot_arm.empty()) {
    const auto named = named_level(definition.level, curve.cells.front());
    return named ? *named - definition.minus : definition.number;
  }
  for (const PilotBest& best : pilot) {
    if (best.arm != definition.pilot_arm) continue;
    for (const auto& [stratum, loss] : best.by_stratum) {
      if (stratum == curve.stratum) return loss + definition.best_final_plus;
    }
  }
  return Undefined{"the pilot has no complete cell in this stratum", {}};
}

ConvergenceCurve convergence_of(const Curve& curve, const Definitions::Convergence& definition,
                                const std::vector<PilotBest>& pilot) {
  ConvergenceCurve result{
      curve.arm, curve.stratum, convergence_target(definition, curve, pilot), {}};
  for (const Cell& cell : curve.cells) {
    ConvergenceCurve::Point point{cell.x, {}};
    for (const CellRun& run : cell.runs) {
      point.per_seed.emplace_back(run.seed,
                                  steps_of(run, cell, result.target, definition.confirm_evals));
    }
    result.points.push_back(std::move(point));
  }
  return result;
}

}  // namespace sweep
