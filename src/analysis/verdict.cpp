#include "sweep/analysis/verdict.h"

#include <fmt/format.h>

#include "analysis/evaluate.h"

namespace sweep {
namespace {

VerdictKind kind_of(const Evidence& supported, const Evidence& contradicted) {
  if (supported.truth == true && contradicted.truth == true) return VerdictKind::kConflict;
  if (supported.truth == true) return VerdictKind::kSupported;
  if (contradicted.truth == true) return VerdictKind::kContradicted;
  if (!supported.truth || !contradicted.truth) return VerdictKind::kInconclusive;
  return VerdictKind::kNotSupported;
}

/// The first leaf that makes the rule what it is, with where it lies: "gap over high at least 0.1;
/// n_layer 4: seed 2: +0.031".
std::string because(const Evidence& evidence, std::optional<bool> truth) {
  for (const Evidence& part : evidence.parts) {
    if (part.truth != truth) continue;
    const std::string inner = because(part, truth);
    const bool named = evidence.what != "all of" && evidence.what != "any of";
    return named ? fmt::format("{}: {}", evidence.what, inner) : inner;
  }
  return evidence.numbers.empty() ? evidence.what
                                  : fmt::format("{}: {}", evidence.what, evidence.numbers);
}

std::string missing(const Evidence& supported, const Evidence& contradicted) {
  if (!supported.truth && !contradicted.truth && supported.unknown == contradicted.unknown) {
    return "neither rule can be decided: " + supported.unknown;
  }
  std::string text;
  if (!supported.truth) text = "supported_if cannot be decided: " + supported.unknown;
  if (contradicted.truth) return text;
  return text + (text.empty() ? "" : ". ") +
         "contradicted_if cannot be decided: " + contradicted.unknown;
}

/// What readers take from a verdict although it is not in it.
std::string limits_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kSupported:
      return "why it is so, or that it holds outside this grid, these seeds and this corpus";
    case VerdictKind::kContradicted:
      return "that the claim is false elsewhere: other sizes, schedules or corpora";
    case VerdictKind::kNotSupported:
      return "that there is no effect: the registered size of it was not found";
    case VerdictKind::kConflict:
      return "anything about the claim: its two rules do not exclude each other";
    case VerdictKind::kInconclusive:
      break;
  }
  return "anything about the claim, in either direction";
}

std::string reason_of(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::kSupported:
      return "supported_if holds" +
             std::string(verdict.contradicted.truth ? "" : "; contradicted_if is undecided");
    case VerdictKind::kContradicted:
      return "contradicted_if holds: " + because(verdict.contradicted, true);
    case VerdictKind::kNotSupported:
      return "neither rule holds; supported_if fails: " + because(verdict.supported, false);
    case VerdictKind::kConflict:
      return "both rules hold: the registration contradicts itself";
    case VerdictKind::kInconclusive:
      break;
  }
  return missing(verdict.supported, verdict.contradicted);
}

std::string settling(const Evidence& supported, const Evidence& contradicted) {
  const std::string& first = supported.truth ? contradicted.settle : supported.settle;
  return first.empty() ? contradicted.settle : first;
}

}  // namespace

std::string to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kSupported:
      return "supported";
    case VerdictKind::kContradicted:
      return "contradicted";
    case VerdictKind::kNotSupported:
      return "not supported";
    case VerdictKind::kConflict:
      return "registration conflict";
    case VerdictKind::kInconclusive:
      break;
  }
  return "inconclusive";
}

std::vector<Verdict> judge_hypotheses(const Prereg& prereg, const Analysis& analysis) {
  const auto hypotheses = hypotheses_of(prereg);
  const auto tests = run_tests(prereg, analysis, hypotheses);
  std::vector<Verdict> verdicts;
  for (const Hypothesis& hypothesis : hypotheses) {
    Verdict verdict;
    verdict.id = hypothesis.id;
    verdict.claim = hypothesis.claim;
    for (const TestResult& test : tests) {
      if (test.hypothesis == hypothesis.id) verdict.tests.push_back(test);
    }
    verdict.supported = evaluate(hypothesis.supported_if, prereg, analysis, verdict.tests);
    verdict.contradicted = evaluate(hypothesis.contradicted_if, prereg, analysis, verdict.tests);
    verdict.kind = kind_of(verdict.supported, verdict.contradicted);
    verdict.reason = reason_of(verdict);
    verdict.limits = limits_of(verdict.kind);
    if (verdict.kind == VerdictKind::kInconclusive) {
      verdict.settle = settling(verdict.supported, verdict.contradicted);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace sweep
