#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/tables.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

TableCell truth_cell(std::optional<bool> truth) {
  if (!truth) return {"unknown", nullptr};
  return {*truth ? "holds" : "fails", *truth};
}

/// "s1 +0.615, s2 +0.740": each seed's numbers, marked where they do not hold.
std::string seeds_text(const Evidence& stratum) {
  std::vector<std::string> parts;
  for (const Evidence& seed : stratum.parts) {
    const std::string mark = !seed.truth ? " ?" : *seed.truth ? "" : " ✗";
    parts.push_back(seed.what + " " + seed.numbers + mark);
  }
  return join(parts, "; ");
}

bool is_stratum(const Evidence& evidence) {
  return !evidence.parts.empty() && evidence.parts.front().parts.empty() &&
         evidence.parts.front().what.starts_with("seed ");
}

/// Spaces would be lost where a line is wrapped.
std::string indented(const std::string& text, std::size_t depth) {
  std::string result;
  for (std::size_t i = 0; i < depth; ++i) result += "· ";
  return result + text;
}

class EvidenceRows {
 public:
  EvidenceRows(Table& table, std::string id) : table_(table), id_(std::move(id)) {}

  void add_rule(const std::string& rule, const Evidence& evidence) {
    Evidence named = evidence;
    named.what = fmt::format("{}: {}", rule, evidence.what);
    add(named, 0);
  }

 private:
  /// A criterion's own row, then what it is made of.
  void add(const Evidence& evidence, std::size_t depth) {
    std::string numbers = is_stratum(evidence) ? seeds_text(evidence) : evidence.numbers;
    if (!evidence.truth && numbers.empty()) numbers = evidence.unknown;
    const std::string text = numbers.empty() ? evidence.what : evidence.what + ": " + numbers;
    table_.rows.push_back(
        {word_cell(id_), truth_cell(evidence.truth), word_cell(indented(text, depth))});
    id_ = "";
    if (is_stratum(evidence)) return;
    for (const Evidence& part : evidence.parts) add(part, depth + 1);
  }

  Table& table_;
  std::string id_;
};

/// "0.214", or how far was searched in vain.
std::string end_text(const std::optional<double>& end, const char* sign, double searched) {
  return end ? fmt::format("{:.3f}", *end) : fmt::format("{} {:.3g}", sign, searched);
}

void add_delta_rows(Table& table, const Fragility& fragility) {
  std::vector<TableCell> holds = {word_cell("holds for degraded by")};
  std::vector<TableCell> robust = {word_cell("robust")};
  for (const DeltaInterval& interval : fragility.intervals) {
    holds.push_back({fmt::format("{} to {}", end_text(interval.low, "≤", fragility.searched_low),
                                 end_text(interval.high, "≥", fragility.searched_high)),
                     Json::array({interval.low ? Json(*interval.low) : Json(),
                                  interval.high ? Json(*interval.high) : Json()})});
    robust.push_back({interval.robust ? "yes" : "no", interval.robust});
  }
  table.rows.insert(table.rows.end(), {holds, robust});
  table.note += fmt::format(
      " Registered: degraded by {} nats. Robust: the same verdict at half and at twice of it. "
      "Searched from {:.3g} to {:.3g}.",
      format_number(*fragility.delta), fragility.searched_low, fragility.searched_high);
}

}  // namespace

Table verdicts_table(const std::vector<Verdict>& verdicts) {
  Table table;
  table.name = "verdicts";
  table.title = "Verdicts";
  table.note =
      "By the registered rules. Supported, contradicted: that rule holds and the other does not. "
      "Not supported: neither rule holds on complete data. Inconclusive: a rule hangs on something "
      "missing, censored or tied. Every number and run behind a verdict stands under \"Evidence\". "
      "No verdict speaks of models, data or rates outside this grid.";
  table.columns = {{"id", "", "", Align::kLeft},
                   {"verdict", "verdict", "", Align::kLeft},
                   {"what", "", "", Align::kLeft},
                   {"text", "", "", Align::kLeft}};
  for (const Verdict& verdict : verdicts) {
    const auto add = [&](const std::string& what, const std::string& text) {
      const bool first = what == "claim";
      table.rows.push_back({word_cell(first ? verdict.id : ""),
                            word_cell(first ? to_string(verdict.kind) : ""), word_cell(what),
                            word_cell(text)});
    };
    add("claim", verdict.claim);
    add("because", verdict.reason);
    if (!verdict.settle.empty()) add("would settle it", verdict.settle);
    if (!verdict.deviations.empty()) add("deviated", join(verdict.deviations, "; "));
    add("does not show", verdict.limits);
  }
  return table;
}

Table evidence_table(const std::vector<Verdict>& verdicts) {
  Table table;
  table.name = "evidence";
  table.title = "Evidence";
  table.note =
      "Each registered criterion, in every stratum, with each seed's numbers; ✗ marks a seed for "
      "which it fails, ? one for which it is unknown. Seeds are judged inside a stratum, then "
      "strata are counted. Brackets are neighbouring levels of the grid.";
  table.columns = {{"id", "", "", Align::kLeft},
                   {"outcome", "", "", Align::kLeft},
                   {"criterion", "criterion and numbers", "", Align::kLeft}};
  for (const Verdict& verdict : verdicts) {
    EvidenceRows rows(table, verdict.id);
    rows.add_rule("supported if", verdict.supported);
    rows.add_rule("contradicted if", verdict.contradicted);
  }
  return table;
}

Table tests_table(const std::vector<Verdict>& verdicts) {
  Table table;
  table.name = "tests";
  table.title = "Registered tests";
  table.note =
      "Exact: every arrangement is counted, ties included. Adjusted: Holm over the registered "
      "family, in which a hypothesis without a test counts as p = 1. Smallest: what the most "
      "extreme arrangement of these very values would give, adjusted alike; where it exceeds alpha "
      "the test is descriptive only.";
  table.columns = {{"id", "", "", Align::kLeft},
                   {"test", "test", "", Align::kLeft},
                   {"n", "n", "", Align::kRight},
                   {"statistic", "statistic", "", Align::kRight},
                   {"p", "p", "", Align::kRight},
                   {"adjusted_p", "adjusted", "", Align::kRight},
                   {"minimum_p", "smallest", "", Align::kRight},
                   {"alpha", "alpha", "", Align::kRight},
                   {"remark", "remark", "", Align::kLeft}};
  const auto p_cell = [](double p) { return TableCell{fmt::format("{:.3g}", p), p}; };
  for (const Verdict& verdict : verdicts) {
    for (const TestResult& result : verdict.tests) {
      const Criterion& c = result.criterion;
      std::vector<TableCell> row = {
          word_cell(verdict.id),
          word_cell(fmt::format("{} of {}, {} across {}", c.test, c.quantity, c.trend, c.across))};
      if (const auto* test = value_of(result.outcome)) {
        const bool descriptive = result.adjusted_minimum_p > c.p_at_most;
        row.insert(row.end(), {count_cell(static_cast<std::int64_t>(test->n)),
                               {format_number(test->statistic), test->statistic},
                               p_cell(test->p),
                               p_cell(result.adjusted_p),
                               p_cell(result.adjusted_minimum_p),
                               p_cell(c.p_at_most),
                               word_cell(descriptive ? "descriptive only" : "")});
      } else {
        row.insert(row.end(),
                   {empty_cell(), empty_cell(), empty_cell(), empty_cell(), empty_cell(),
                    p_cell(c.p_at_most), word_cell(std::get<Undefined>(result.outcome).reason)});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table fragility_table(const Fragility& fragility, const std::vector<Verdict>& verdicts) {
  Table table;
  table.name = "fragility";
  table.title = "What the verdicts hang on";
  table.note = "Each verdict judged again under other definitions of failure.";
  table.columns = {{"definition", "definition", "", Align::kLeft}};
  std::vector<TableCell> registered = {word_cell("as registered")};
  for (const Verdict& verdict : verdicts) {
    table.columns.push_back({verdict.id, verdict.id, "", Align::kLeft});
    registered.push_back(word_cell(to_string(verdict.kind)));
  }
  table.rows.push_back(std::move(registered));
  if (!fragility.intervals.empty()) add_delta_rows(table, fragility);
  for (const Rejudgement& alternative : fragility.alternatives) {
    std::vector<TableCell> row = {word_cell(alternative.name)};
    for (const VerdictKind kind : alternative.verdicts) row.push_back(word_cell(to_string(kind)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sweep
