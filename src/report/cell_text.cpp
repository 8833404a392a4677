#include "report/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string meaning(RunStatus status) {
  return fmt::format("{} {}", status_mark(status), to_string(status));
}

}  // namespace

TableCell word_cell(const std::string& word) { return {word, word}; }

TableCell count_cell(std::int64_t count) { return {with_commas(count), count}; }

TableCell number_cell(double value, int decimals) {
  return {fmt::format("{:.{}f}", value, decimals), value};
}

TableCell empty_cell(const std::string& text) { return {text, nullptr}; }

std::string with_commas(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::ptrdiff_t first = count < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string loss_text(double loss) { return fmt::format("{:.3f}", loss); }

std::string perplexity_text(double value) {
  return value < 1e5 ? fmt::format("{:.2f}", value) : fmt::format("{:.2e}", value);
}

std::string axis_title(const std::string& axis) {
  return axis == kLearningRate ? "learning rate" : last_word(axis);
}

std::string axis_heading(const std::string& axis) {
  return axis == kLearningRate ? "LR" : last_word(axis);
}

TableCell level_cell(const std::string& axis, double x) { return {level_text(axis, x), x}; }

bool has_strata(const Analysis& analysis) {
  return std::any_of(analysis.strata.begin(), analysis.strata.end(),
                     [](const Stratum& stratum) { return !stratum.levels.empty(); });
}

Column stratum_column(const Analysis& analysis) {
  const auto& levels = analysis.strata.front().levels;
  const bool one_word = levels.size() == 1 && !levels[0].value.is_object();
  return {"stratum", one_word ? last_word(levels[0].factor) : "stratum", "", Align::kLeft};
}

TableCell stratum_cell(const Stratum& stratum) {
  const Json value = to_json(stratum);
  return {value.is_number() ? value.dump() : to_words(stratum), value};
}

std::string stratum_suffix(const Stratum& stratum) {
  return stratum.levels.empty() ? "" : ", " + to_words(stratum);
}

std::string stratum_slug(const Stratum& stratum) {
  if (stratum.levels.empty()) return "";
  std::string slug = "-";
  for (const char c : to_words(stratum)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (plain || slug.back() != '-') slug += plain ? c : '-';
  }
  return slug;
}

std::string status_mark(RunStatus status) {
  switch (status) {
    case RunStatus::kNonfinite:
      return "N";
    case RunStatus::kBlowup:
      return "B";
    case RunStatus::kCollapsed:
      return "C";
    case RunStatus::kDegraded:
      return "D";
    case RunStatus::kUnjudged:
      return "?";
    case RunStatus::kMissing:
    case RunStatus::kOk:
      break;
  }
  return "";
}

std::string mark_legend(const std::vector<const Cell*>& cells) {
  std::set<RunStatus> seen;
  for (const Cell* cell : cells) {
    for (const CellRun& run : cell->runs) seen.insert(run.judgement.status);
  }
  std::vector<std::string> parts;
  for (const RunStatus status : seen) {
    if (status == RunStatus::kMissing) parts.push_back("– missing");
    if (!status_mark(status).empty()) parts.push_back(meaning(status));
  }
  return join(parts, ", ");
}

std::string run_text(const CellRun& run) {
  if (!run.losses) return kNothing;
  const std::string mark = status_mark(run.judgement.status);
  return run.losses->final_loss ? loss_text(*run.losses->final_loss) + mark : mark;
}

std::string runs_text(const Cell& cell) {
  std::vector<std::string> parts;
  for (const CellRun& run : cell.runs) parts.push_back(run_text(run));
  if (parts.size() <= 3) return join(parts, " ");
  const auto finding = final_loss_of(cell);
  const auto* spread = value_of(finding);
  if (spread == nullptr) return kNothing;
  return fmt::format("{}–{}", loss_text(spread->min), loss_text(spread->max));
}

}  // namespace sweep
