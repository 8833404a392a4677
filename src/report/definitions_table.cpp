#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string level_words(const FailureRule& rule) {
  switch (rule.level) {
    case FailureRule::LossLevel::kNumber:
      return format_number(rule.number);
    case FailureRule::LossLevel::kInitialValLoss:
      return "the run's initial loss";
    case FailureRule::LossLevel::kUniformFloor:
      return "the uniform floor ln V";
    case FailureRule::LossLevel::kUnigramFloor:
      return "the unigram floor";
    case FailureRule::LossLevel::kBigramFloor:
      break;
  }
  return "the bigram floor";
}

std::string rule_words(const FailureRule& rule) {
  switch (rule.kind) {
    case FailureRule::Kind::kNonfinite:
      return "a loss, gradient norm or parameter was not finite";
    case FailureRule::Kind::kFinalLossAtLeast: {
      const std::string less =
          rule.minus == 0 ? "" : fmt::format(" less {}", format_number(rule.minus));
      return fmt::format("final loss at or above {}{}", level_words(rule), less);
    }
    case FailureRule::Kind::kDiverged:
      return "diverged";
    case FailureRule::Kind::kDegraded:
      break;
  }
  return fmt::format(
      "final loss more than {} above the lowest seed mean of {}", format_number(rule.by),
      rule.of == "same_stratum" ? "any arm in the stratum" : "its own arm and stratum");
}

std::string any_of(const std::vector<FailureRule>& rules) {
  std::vector<std::string> parts;
  for (const FailureRule& rule : rules) parts.push_back(rule_words(rule));
  return parts.empty() ? "never" : join(parts, "; or ");
}

std::string stable_words(const Definitions::MaxStableLr& rule) {
  return fmt::format(
      "upward from the arm's best level, the {}; per seed, and for all seeds the "
      "minimum",
      rule.contiguous ? fmt::format("last level before the first {} one", rule.failure)
                      : fmt::format("highest level that is not {}", rule.failure));
}

std::string sensitivity_words(const Definitions::LrSensitivity& rule) {
  return fmt::format("average of min(l, l0) - l* over {} with {}; l* is the lowest min(l, l0)",
                     rule.points == "wortsman" ? "Wortsman's seven rates" : "all levels",
                     rule.weights == "equal" ? "equal weights" : "log-trapezoid weights");
}

}  // namespace

Table definitions_table(const Definitions& definitions) {
  Table table;
  table.name = "definitions";
  table.title = "Definitions in force";
  table.note =
      "Registered before the first run; formulas and sources stand in docs/definitions.md. "
      "\"Final loss at or above the initial loss\" almost never fires: runs that fail usually end "
      "at a plateau far below it.";
  table.columns = {{"term", "term", "", Align::kLeft}, {"rule", "rule", "", Align::kLeft}};
  const auto add = [&](const std::string& term, const std::string& rule) {
    table.rows.push_back({word_cell(term), word_cell(rule)});
  };
  add("final loss l", "validation loss on the fixed set after the last update, nats per token");
  add("initial loss l0", "the same at step 0; stands for a non-finite l, and caps l");
  add("diverged", any_of(definitions.diverged));
  add("unusable", any_of(definitions.unusable));
  add("arm's best level", "lowest seed mean of l over complete cells, ties to the lower level");
  add("max stable level", stable_words(definitions.max_stable_lr));
  add("LR-sensitivity", sensitivity_words(definitions.lr_sensitivity));
  add("perplexity", "exp(mean l)");
  add("bits per character", "mean l / (ln 2 x characters per token)");
  return table;
}

}  // namespace sweep
