#include "sweep/analysis/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sweep/analysis/training_health.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr double kDefaultWorseBy = 0.3;  // nats, where no rule of the registration says

using SeriesById = std::map<std::string, const RunSeries*>;

SeriesById by_id(std::span<const RunSeries> series) {
  SeriesById all;
  for (const RunSeries& one : series) all[one.id] = &one;
  return all;
}

/// The most that the mean entropy of T causal queries can be: ln(T!)/T.
double most_entropy(std::int64_t block_size) {
  const auto length = static_cast<double>(block_size);
  return std::lgamma(length + 1) / length;
}

/// Values over everything and extremes; layers and heads stay in metrics.jsonl. Block 0 is what
/// Wortsman et al. report.
bool is_headline(const std::string& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos || name == "max_attention_logit/L0") return true;
  const std::string ending = name.substr(slash);
  return ending == "/min" || ending == "/max" || ending == "/out";
}

const double* find_value(const RunSeries::Mechanism& step, const std::string& name) {
  for (const auto& [own, value] : step.values) {
    if (own == name) return &value;
  }
  return nullptr;
}

double worse_by(const Definitions& definitions) {
  for (const FailureRule& rule : definitions.unusable) {
    if (rule.kind == FailureRule::Kind::kDegraded) return rule.by;
  }
  return kDefaultWorseBy;
}

bool is_stable(const Cell& cell) {
  return std::all_of(cell.runs.begin(), cell.runs.end(),
                     [](const CellRun& run) { return run.judgement.unusable == false; });
}

/// Sum of the seeds' losses and their number, by step.
using SumByStep = std::map<std::int64_t, std::pair<double, std::size_t>>;

SumByStep summed_losses(const Cell& cell, const SeriesById& series) {
  SumByStep sums;
  for (const CellRun& run : cell.runs) {
    const auto own = series.find(run.id);
    if (own == series.end()) continue;
    for (const auto& [step, loss] : own->second->evaluations) {
      sums[step].first += loss;
      ++sums[step].second;
    }
  }
  return sums;
}

ReferenceLosses reference_of(const Curve& curve, const SeriesById& series) {
  std::map<std::int64_t, double> lowest;
  for (const Cell& cell : curve.cells) {
    if (!is_stable(cell)) continue;
    for (const auto& [step, sum] : summed_losses(cell, series)) {
      if (sum.second != cell.runs.size()) continue;
      const double mean = sum.first / static_cast<double>(sum.second);
      const auto [found, is_new] = lowest.emplace(step, mean);
      if (!is_new) found->second = std::min(found->second, mean);
    }
  }
  return {lowest.begin(), lowest.end()};
}

/// A run that stopped non-finite was worse from then on, if not before.
std::optional<Onset> loss_onset_of(const RunSeries& series, const RunResult& result,
                                   const ReferenceLosses& reference, double by) {
  const auto onset = loss_onset(series, reference, by);
  if (onset || result.outcome.kind == RunOutcome::Kind::kCompleted) return onset;
  Onset stop{result.outcome.step, std::nullopt};
  if (!series.evaluations.empty()) stop.not_before = series.evaluations.back().step;
  return stop;
}

/// What belongs to all runs of a curve.
struct Context {
  const std::map<std::string, const RunRecord*>& records;
  const SeriesById& series;
  const ReferenceLosses& reference;
  const MechanismAnalysis& analysis;
};

RunMechanism run_mechanism(const CellRun& run, const Context& context) {
  const RunRecord& record = *context.records.at(run.id);
  RunMechanism result{run.id, run.seed, {}, {}, std::nullopt, run.judgement.unusable};
  const auto own = context.series.find(run.id);
  static const RunSeries kNothing;
  const RunSeries& series = own != context.series.end() ? *own->second : kNothing;
  for (const RunSeries::Mechanism& step : series.mechanism) {
    RunSeries::Mechanism& kept = result.steps.emplace_back();
    kept.step = step.step;
    std::copy_if(step.values.begin(), step.values.end(), std::back_inserter(kept.values),
                 [](const auto& value) { return is_headline(value.first); });
  }
  for (const MechanismThreshold& threshold : context.analysis.thresholds) {
    result.passages.push_back(passage(threshold, series, record.spec.config.model.block_size));
  }
  result.loss = loss_onset_of(series, *record.result, context.reference, context.analysis.worse_by);
  return result;
}

CellMechanism cell_mechanism(const Cell& cell, const Context& context) {
  CellMechanism result{cell.x, 0, {}, missing_runs(cell)};
  for (const CellRun& run : cell.runs) {
    result.block_size = context.records.at(run.id)->spec.config.model.block_size;
    if (run.losses) result.runs.push_back(run_mechanism(run, context));
  }
  return result;
}

enum class Seeds { kAny, kEvery };

/// Whether the cell passed, known or not yet (nullopt).
std::optional<bool> cell_passed(const CellMechanism& cell, std::size_t threshold, Seeds seeds) {
  const auto passed = [&](const RunMechanism& run) { return run.passages[threshold].has_value(); };
  const auto n = std::count_if(cell.runs.begin(), cell.runs.end(), passed);
  if (seeds == Seeds::kAny && n > 0) return true;
  if (seeds == Seeds::kEvery && n < std::ssize(cell.runs)) return false;
  if (!cell.missing.empty()) return std::nullopt;
  return seeds == Seeds::kEvery && n > 0;
}

Finding<std::optional<double>> lowest_crossing(const std::vector<CellMechanism>& cells,
                                               std::size_t threshold, Seeds seeds) {
  for (const CellMechanism& cell : cells) {
    const auto passed = cell_passed(cell, threshold, seeds);
    if (!passed) {
      return Undefined{fmt::format("{} missing", count_of(cell.missing.size(), "run")),
                       cell.missing};
    }
    if (*passed) return std::optional(cell.x);
  }
  return std::optional<double>();
}

void count(PassageCounts& counts, const RunMechanism& run, std::size_t threshold) {
  const auto& passed = run.passages[threshold];
  if (run.unusable != true) {
    ++(passed ? counts.harmless : counts.neither);
  } else if (!passed) {
    ++counts.without;
  } else if (!run.loss) {
    ++counts.undecided;
  } else {
    const Order order = order_of(*passed, *run.loss);
    ++(order == Order::kBefore  ? counts.before
       : order == Order::kAfter ? counts.after
                                : counts.undecided);
  }
}

PassageCounts passage_counts(const std::vector<CellMechanism>& cells, std::size_t threshold) {
  PassageCounts counts;
  for (const CellMechanism& cell : cells) {
    for (const RunMechanism& run : cell.runs) count(counts, run, threshold);
  }
  return counts;
}

CurveMechanism curve_mechanism(const Curve& curve, const Context& context) {
  CurveMechanism result{curve.arm, curve.stratum, {}, {}, {}};
  for (const Cell& cell : curve.cells) result.cells.push_back(cell_mechanism(cell, context));
  for (std::size_t i = 0; i < context.analysis.thresholds.size(); ++i) {
    result.crossings.push_back({lowest_crossing(result.cells, i, Seeds::kAny),
                                lowest_crossing(result.cells, i, Seeds::kEvery)});
    result.passages.push_back(passage_counts(result.cells, i));
  }
  return result;
}

/// Names in the order of first sight, and the last step.
void survey(MechanismAnalysis& analysis, std::span<const RunSeries> series) {
  for (const RunSeries& one : series) {
    for (const RunSeries::Mechanism& step : one.mechanism) {
      analysis.last_step = std::max(analysis.last_step, step.step);
      for (const auto& [name, value] : step.values) {
        if (!is_headline(name)) continue;
        if (std::find(analysis.names.begin(), analysis.names.end(), name) != analysis.names.end()) {
          continue;
        }
        analysis.names.push_back(name);
      }
    }
  }
}

}  // namespace

std::span<const MechanismThreshold> mechanism_thresholds() {
  static const std::array<MechanismThreshold, 5> thresholds = {{
      {"max logit > 1e2", "max_attention_logit", 1e2, false,
       "queries and keys are rescaled there by QK-Clip", "Kimi Team 2025, arXiv 2507.20534"},
      {"max logit > 1e3", "max_attention_logit", 1e3, false,
       "the loss worsens when q and k are rescaled so far", "Wortsman et al. 2023"},
      {"max logit > 1e4", "max_attention_logit", 1e4, false, "every run diverged",
       "Wortsman et al. 2023"},
      {"max logit > 5e4", "max_attention_logit", 5e4, false,
       "seen in a diverging vision transformer of 8B", "Dehghani et al. 2023, arXiv 2302.05442"},
      {"min entropy < 10 %", "attention_entropy/min", 0.1, true,
       "a collapsed head; collapse is the source's, the share this project's own",
       "Zhai et al. 2023, arXiv 2303.06296"},
  }};
  return thresholds;
}

double level_of(const MechanismThreshold& threshold, std::int64_t block_size) {
  return threshold.share_of_most ? threshold.bound * most_entropy(block_size) : threshold.bound;
}

bool has_passed(const MechanismThreshold& threshold, double value, std::int64_t block_size) {
  if (!std::isfinite(value)) return true;
  const double level = level_of(threshold, block_size);
  return threshold.share_of_most ? value < level : value > level;
}

std::optional<Onset> passage(const MechanismThreshold& threshold, const RunSeries& series,
                             std::int64_t block_size) {
  std::optional<std::int64_t> before;
  for (const RunSeries::Mechanism& step : series.mechanism) {
    const double* value = find_value(step, threshold.quantity);
    if (value == nullptr) continue;
    if (has_passed(threshold, *value, block_size)) return Onset{step.step, before};
    before = step.step;
  }
  return std::nullopt;
}

ReferenceLosses reference_losses(const Curve& curve, std::span<const RunSeries> series) {
  return reference_of(curve, by_id(series));
}

std::optional<Onset> loss_onset(const RunSeries& series, const ReferenceLosses& reference,
                                double by) {
  std::optional<Onset> onset;
  std::optional<std::int64_t> before;
  for (const auto& [step, loss] : series.evaluations) {
    const auto held = std::find_if(reference.begin(), reference.end(),
                                   [&](const auto& point) { return point.first == step; });
    const bool worse =
        !std::isfinite(loss) || (held != reference.end() && loss > held->second + by);
    if (!worse) onset.reset();
    if (worse && !onset) onset = Onset{step, before};
    before = step;
  }
  return onset;
}

Order order_of(const Onset& first, const Onset& second) {
  if (second.not_before && first.step <= *second.not_before) return Order::kBefore;
  if (first.not_before && second.step <= *first.not_before) return Order::kAfter;
  return Order::kUndecided;
}

std::optional<SeedRange> seed_range(std::vector<double> values) {
  const auto median = quantile(values, 0.5);
  if (!median) return std::nullopt;
  std::erase_if(values, [](double value) { return std::isnan(value); });
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return SeedRange{values.size(), *median, *min, *max};
}

MechanismAnalysis analyse_mechanism(const std::vector<Curve>& curves,
                                    const std::vector<RunRecord>& records,
                                    std::span<const RunSeries> series,
                                    const Definitions& definitions) {
  MechanismAnalysis analysis;
  analysis.worse_by = worse_by(definitions);
  survey(analysis, series);
  if (analysis.names.empty()) return analysis;
  for (const MechanismThreshold& threshold : mechanism_thresholds()) {
    const auto& names = analysis.names;
    if (std::find(names.begin(), names.end(), threshold.quantity) == names.end()) continue;
    analysis.thresholds.push_back(threshold);
  }
  std::map<std::string, const RunRecord*> planned;
  for (const RunRecord& record : records) planned[record.spec.id] = &record;
  const SeriesById finished = by_id(series);
  for (const Curve& curve : curves) {
    const ReferenceLosses reference = reference_of(curve, finished);
    analysis.curves.push_back(curve_mechanism(curve, {planned, finished, reference, analysis}));
  }
  return analysis;
}

std::optional<double> value_at(const RunMechanism& run, std::int64_t step,
                               const std::string& name) {
  for (const RunSeries::Mechanism& measured : run.steps) {
    const double* value = measured.step == step ? find_value(measured, name) : nullptr;
    if (value != nullptr) return *value;
  }
  return std::nullopt;
}

std::optional<SeedRange> range_at(const CellMechanism& cell, std::int64_t step,
                                  const std::string& name) {
  std::vector<double> values;
  for (const RunMechanism& run : cell.runs) {
    if (const auto value = value_at(run, step, name)) values.push_back(*value);
  }
  return seed_range(std::move(values));
}

}  // namespace sweep
