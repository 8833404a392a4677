// Result sets made by hand, each with the verdicts that a person expects of it. What is found is in
// tests/golden/suite, beside the losses, so that a reader can check every line without a computer.
#include <gtest/gtest.h>

#include "analysis/suite/suite_case.h"
#include "support/golden.h"

namespace sweep {
namespace {

std::string where(const Stratum& stratum) {
  return stratum.levels.empty() ? "" : " at " + to_words(stratum);
}

std::string shown(const StableLr& lr) {
  std::string text = "none";
  if (lr.kind == StableLr::Kind::kInterval) {
    text = fmt::format("[{}, {})", format_lr(*lr.lower), format_lr(*lr.upper));
  }
  if (lr.kind == StableLr::Kind::kRightCensored) text = ">= " + format_lr(*lr.lower);
  if (!lr.non_monotone) return text;
  return text + fmt::format(" NON_MONOTONE (usable up to {})", format_lr(*lr.unrestricted));
}

std::string shown(const NecessityLr& lr) {
  const std::string mark = lr.non_monotone ? " NON_MONOTONE" : "";
  switch (lr.kind) {
    case NecessityLr::Kind::kInterval:
      return fmt::format("({}, {}]", format_lr(*lr.lower), format_lr(*lr.upper)) + mark;
    case NecessityLr::Kind::kLeftCensored:
      return "<= " + format_lr(*lr.upper) + mark;
    case NecessityLr::Kind::kRightCensored:
      return "> " + format_lr(*lr.lower) + mark;
    case NecessityLr::Kind::kNoWindow:
      break;
  }
  return "no window" + mark;
}

std::string shown(const LrSensitivity& sensitivity) {
  return fmt::format("{:.4f}{}", sensitivity.value,
                     sensitivity.never_trained ? " never trained" : "");
}

std::string shown(const Spread& spread) { return fmt::format("{:.4f}", spread.mean); }

std::string shown(const StepsToLoss& steps) {
  return steps.steps ? fmt::format("{:.1f}", *steps.steps) : fmt::format("> {:.0f}", steps.horizon);
}

template <typename T>
std::string shown(const Finding<T>& finding) {
  if (const auto* why = std::get_if<Undefined>(&finding)) return "undefined: " + why->reason;
  return shown(std::get<T>(finding));
}

template <typename T>
std::string shown(const std::vector<std::pair<std::uint64_t, Finding<T>>>& per_seed) {
  std::string text;
  for (const auto& [seed, finding] : per_seed) {
    text += fmt::format("seed {}: {}; ", seed, shown(finding));
  }
  return text;
}

std::string failures(const CurveAnalysis& one) {
  std::string text;
  for (const Cell& cell : one.curve.cells) {
    for (const CellRun& run : cell.runs) {
      if (run.judgement.status == RunStatus::kOk) continue;
      text += fmt::format("  {}: {}\n", run.id, to_string(run.judgement.status));
    }
  }
  return text;
}

std::string findings(const Analysis& analysis) {
  std::string text = "runs that are not ok\n";
  for (const auto& one : analysis.curves) text += failures(one);
  text += "max stable LR\n";
  for (const auto& one : analysis.curves) {
    text += fmt::format("  {}{}: {}all: {}\n", one.curve.arm, where(one.curve.stratum),
                        shown(one.max_stable.per_seed), shown(one.max_stable.all_seeds));
  }
  text += "LR-sensitivity\n";
  for (const auto& one : analysis.curves) {
    text += fmt::format("  {}{}: {}mean: {}\n", one.curve.arm, where(one.curve.stratum),
                        shown(one.sensitivity.per_seed), shown(one.sensitivity.over_seeds));
  }
  text += "necessity LR\n";
  for (const Necessity& one : analysis.necessity) {
    text += fmt::format("  {}{}: {}all: {}\n", one.treatment, where(one.stratum),
                        shown(one.per_seed), shown(one.all_seeds));
  }
  return text;
}

/// Steps to the registered loss at each arm's best level.
std::string convergence(const Analysis& analysis) {
  std::string text = "updates to the registered loss, at the arm's best LR\n";
  for (const ConvergenceCurve& curve : analysis.convergence) {
    const CurveAnalysis* one = find_curve(analysis, curve.arm, curve.stratum);
    for (const auto& point : curve.points) {
      if (!one->best || point.x != one->best->x) continue;
      text += fmt::format("  {}{}: {}at {}\n", curve.arm, where(curve.stratum),
                          shown(point.per_seed), format_lr(point.x));
    }
  }
  return text;
}

std::string verdicts(const std::vector<Verdict>& all) {
  std::string text = "verdicts\n";
  for (const Verdict& verdict : all) {
    text += fmt::format("  {} {}: {}\n", verdict.id, to_string(verdict.kind), verdict.reason);
    if (!verdict.settle.empty()) text += fmt::format("     settled by: {}\n", verdict.settle);
  }
  return text;
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(suite_folder())) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Suite : public testing::TestWithParam<std::filesystem::path> {};

std::string name_of(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.stem();
}

INSTANTIATE_TEST_SUITE_P(MadeByHand, Suite, testing::ValuesIn(case_files()), name_of);

TEST_P(Suite, IsJudgedAsAPersonWould) {
  const SuiteCase one(GetParam());
  const Analysis analysis = one.study().analysis();
  const auto found = judge_hypotheses(one.study().prereg(), analysis);
  EXPECT_FALSE(one.expectations().empty());
  for (const auto& expected : one.expectations()) {
    const auto verdict = std::find_if(
        found.begin(), found.end(), [&](const Verdict& v) { return v.id == expected.hypothesis; });
    ASSERT_NE(verdict, found.end()) << expected.hypothesis;
    EXPECT_EQ(to_string(verdict->kind), expected.verdict) << verdict->id << ": " << verdict->reason;
  }
  expect_golden("suite/" + one.name() + ".txt",
                one.text() + "\n" + findings(analysis) + convergence(analysis) + verdicts(found));
}

}  // namespace
}  // namespace sweep
