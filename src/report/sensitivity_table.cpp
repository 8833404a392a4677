#include <fmt/format.h>

#include <functional>
#include <utility>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string rule_words(const SensitivityRule& rule) {
  return fmt::format("{}, {}", rule.points == "wortsman" ? "Wortsman's seven" : "all points",
                     rule.weights == Weights::kEqual ? "equal weights" : "log-trapezoid");
}

/// Text and values of what each seed has: "0.530 0.563".
TableCell per_seed(const CurveSensitivity& sensitivity,
                   const std::function<std::pair<std::string, double>(const LrSensitivity&)>& of) {
  std::vector<std::string> texts;
  Json values = Json::array();
  for (const auto& [seed, finding] : sensitivity.per_seed) {
    const LrSensitivity* value = value_of(finding);
    const auto shown = value != nullptr ? of(*value) : std::pair<std::string, double>(kNothing, 0);
    texts.push_back(shown.first);
    values.push_back(value != nullptr ? Json(shown.second) : Json(nullptr));
  }
  return {join(texts, " "), values};
}

TableCell mean_cell(const CurveSensitivity& sensitivity) {
  const Spread* spread = value_of(sensitivity.over_seeds);
  if (spread == nullptr) return empty_cell();
  std::string text = loss_text(spread->mean);
  if (spread->n > 3) text += fmt::format(" ± {}", loss_text(spread->sd.value_or(0)));
  return {text, spread->mean};
}

std::string remark(const CurveSensitivity& sensitivity) {
  if (const auto* why = std::get_if<Undefined>(&sensitivity.over_seeds)) return why->reason;
  for (const auto& [seed, finding] : sensitivity.per_seed) {
    if (std::get<LrSensitivity>(finding).never_trained) {
      return fmt::format("seed {} never trained: no loss below the initial one", seed);
    }
  }
  return "";
}

std::vector<TableCell> row_of(const Analysis& analysis, const CurveAnalysis& one) {
  const auto loss = [](double value) { return std::pair(loss_text(value), value); };
  std::vector<TableCell> row;
  if (has_strata(analysis)) row.push_back(stratum_cell(one.curve.stratum));
  row.push_back(word_cell(one.curve.arm));
  row.push_back(mean_cell(one.sensitivity));
  row.push_back(per_seed(one.sensitivity, [&](const LrSensitivity& s) { return loss(s.value); }));
  row.push_back(mean_cell(one.sensitivity_equal));
  row.push_back(mean_cell(one.sensitivity_log_trapezoid));
  row.push_back(mean_cell(one.sensitivity_wortsman));
  row.push_back(
      per_seed(one.sensitivity, [&](const LrSensitivity& s) { return loss(s.best_loss); }));
  row.push_back(per_seed(one.sensitivity, [&](const LrSensitivity& s) {
    return std::pair(level_text(analysis.axis, s.best_x), s.best_x);
  }));
  row.push_back(per_seed(one.sensitivity, [&](const LrSensitivity& s) { return loss(s.below); }));
  row.push_back(per_seed(one.sensitivity, [&](const LrSensitivity& s) { return loss(s.above); }));
  row.push_back(
      per_seed(one.sensitivity, [&](const LrSensitivity& s) { return loss(s.normalised()); }));
  row.push_back(word_cell(remark(one.sensitivity)));
  return row;
}

/// What the grid lacks for the published statistic; "" when it has all seven rates, or when
/// nothing can be said since runs are missing.
std::string wortsman_note(const Analysis& analysis) {
  for (const CurveAnalysis& one : analysis.curves) {
    const auto* why = std::get_if<Undefined>(&one.sensitivity_wortsman.over_seeds);
    if (why != nullptr && value_of(one.sensitivity_equal.over_seeds) != nullptr) {
      return fmt::format(" Wortsman's seven: {}.", why->reason);
    }
  }
  return "";
}

std::string note_of(const Analysis& analysis) {
  return fmt::format(
      "Average over the grid of min(l, l0) - l*, nats: l the final loss, l0 the run's own initial "
      "loss (which stands for a non-finite l), l* the lowest min(l, l0). Each seed on its own, "
      "then "
      "the mean over n = {}. Registered: {}. Beside it the same by other weightings. l* as a "
      "minimum "
      "of noisy values is biased low, in both arms alike; never compare across tokenizers. Parts: "
      "what levels "
      "below and above the arm's best add (slowness, instability), and the whole divided by "
      "l0 - l*.{}",
      count_of(analysis.seeds.size(), "seed"), rule_words(analysis.curves.front().sensitivity.rule),
      wortsman_note(analysis));
}

}  // namespace

Table sensitivity_table(const Analysis& analysis) {
  Table table;
  table.name = "lr-sensitivity";
  table.title = fmt::format("Sensitivity to the {}", axis_title(analysis.axis));
  if (has_strata(analysis)) table.columns.push_back(stratum_column(analysis));
  table.columns.insert(table.columns.end(),
                       {{"arm", "arm", "", Align::kLeft},
                        {"registered", "mean", "registered", Align::kLeft},
                        {"registered_seeds", "seeds", "registered", Align::kLeft},
                        {"equal", "equal", "weightings", Align::kRight},
                        {"log_trapezoid", "log-trapezoid", "weightings", Align::kRight},
                        {"wortsman", "seven", "weightings", Align::kRight},
                        {"best_loss", "l*", "best", Align::kLeft},
                        {"best_x", "at", "best", Align::kLeft},
                        {"below", "below", "parts", Align::kLeft},
                        {"above", "above", "parts", Align::kLeft},
                        {"normalised", "normalised", "parts", Align::kLeft},
                        {"remark", "remark", "", Align::kLeft}});
  for (const CurveAnalysis& one : analysis.curves) table.rows.push_back(row_of(analysis, one));
  table.note = note_of(analysis);
  return table;
}

}  // namespace sweep
