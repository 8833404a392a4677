#include "sweep/analysis/gates.h"

#include <gmock/gmock.h>

#include "analysis/rehearsal_builder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

using testing::HasSubstr;

std::string example_text() {
  return read_file(std::filesystem::path(source_folder()) / "tests/data/prereg_example.yaml");
}

std::string replaced(std::string text, const std::string& piece, const std::string& other) {
  const auto place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), other);
}

Prereg read(const std::string& text) {
  const ParsedPrereg parsed = parse_prereg(text, "example.yaml");
  EXPECT_TRUE(parsed.problems.empty()) << render_problems(parsed.problems, text, "example.yaml");
  return parsed.prereg;
}

/// The example with one piece of its text replaced.
Prereg with(const std::string& piece, const std::string& other) {
  return read(replaced(example_text(), piece, other));
}

Prereg example() { return read(example_text()); }

std::vector<GateResult> gates_of(const Prereg& prereg) {
  const RehearsalCase study = case_of(prereg, 0, 0);
  return gate_results(study.prereg, study.scene, constructed_outcomes(study.prereg, study.scene));
}

const GateResult& result_of(const std::vector<GateResult>& results, const std::string& gate) {
  for (const GateResult& result : results) {
    if (result.gate == gate) return result;
  }
  throw std::runtime_error("no gate " + gate);
}

TEST(Gates, ExamplePassesThemAll) {
  for (const GateResult& result : gates_of(example())) {
    EXPECT_EQ(result.outcome, GateResult::Outcome::kPassed) << result.gate << ": " << result.found;
  }
}

TEST(Gates, ConstructedSetsComeOutAsTheySay) {
  const RehearsalCase study = study_case();
  for (const Outcomes& one : constructed_outcomes(study.prereg, study.scene)) {
    ASSERT_TRUE(one.supported && one.contradicted && one.inconclusive) << one.id;
    EXPECT_EQ(one.supported->verdict.kind, VerdictKind::kSupported) << one.id;
    EXPECT_EQ(one.contradicted->verdict.kind, VerdictKind::kContradicted) << one.id;
    EXPECT_EQ(one.inconclusive->verdict.kind, VerdictKind::kInconclusive) << one.id;
    EXPECT_EQ(one.supported->verdict.id, one.id);
  }
}

TEST(Gates, RefuseAThresholdThatTheGridDoesNotReach) {
  const auto results = gates_of(
      with("{quantity: max_stable_lr, arm: qknorm, is: above, than: base, strata: all, seeds: all}",
           "{quantity: max_stable_lr, arm: qknorm, at_least: 1, strata: all, seeds: all}"));
  EXPECT_EQ(result_of(results, "outcomes").outcome, GateResult::Outcome::kRefused);
  EXPECT_THAT(result_of(results, "outcomes").found, HasSubstr("H2 came out supported in none"));
  EXPECT_EQ(result_of(results, "grid_reach").outcome, GateResult::Outcome::kRefused);
  EXPECT_THAT(result_of(results, "grid_reach").found, HasSubstr("3e-1"));
}

TEST(Gates, RefuseATestThatCannotReachItsAlpha) {
  const auto results = gates_of(read(
      replaced(replaced(example_text(), "model.n_layer: [2, 4, 8, 12]", "model.n_layer: [2, 12]"),
               "subset: {model.n_layer: [4]", "subset: {model.n_layer: [2]")));
  const GateResult& gate = result_of(results, "attainable_p");
  EXPECT_EQ(gate.outcome, GateResult::Outcome::kRefused);
  EXPECT_THAT(gate.found, HasSubstr("0.375 at best (0.125 before correction)"));
}

TEST(Gates, RefuseAQuorumLargerThanThePlan) {
  const auto results = gates_of(with("strata: {at_least: 3}", "strata: {at_least: 5}"));
  EXPECT_THAT(result_of(results, "quorums").found, HasSubstr("5 of 4"));
}

TEST(Gates, RefuseAFamilyThatLeavesAHypothesisOut) {
  const auto results = gates_of(with("family: [H1, H2, H3]", "family: [H2, H3]"));
  EXPECT_THAT(result_of(results, "correction_family").found, HasSubstr("leaves out H1"));
}

TEST(Gates, RefuseARangeOutsideOfTheGrid) {
  EXPECT_THAT(
      result_of(gates_of(with("high: [3e-2, 3e-1]", "high: [3e-2, 1]")), "grid_reach").found,
      HasSubstr("range high [3e-2, 1] is wider than the grid"));
  EXPECT_THAT(
      result_of(gates_of(with("low: [3e-4, 1e-3]", "low: [4e-4, 5e-4]")), "grid_reach").found,
      HasSubstr("holds no level"));
}

TEST(Gates, WarnOfADivergenceRuleThatAlmostNeverFires) {
  const auto results =
      gates_of(with("      - {rule: final_loss_at_least, level: unigram_floor, minus: 0.1}\n", ""));
  EXPECT_EQ(result_of(results, "divergence_rule").outcome, GateResult::Outcome::kWarning);
  EXPECT_TRUE(refusals(results).empty());
}

TEST(Gates, AreSetAsideOnlyWithAReason) {
  const Prereg prereg = with("robustness:",
                             "gates: {override: {quorums: the fifth depth is trained elsewhere}}\n"
                             "robustness:");
  EXPECT_EQ(gate_overrides(prereg),
            (std::vector<GateOverride>{{"quorums", "the fifth depth is trained elsewhere"}}));
  Prereg wide = prereg;
  wide.hypotheses["H1"]["contradicted_if"]["any"][0]["strata"]["at_least"] = 5;
  const auto results = gates_of(wide);
  EXPECT_EQ(result_of(results, "quorums").outcome, GateResult::Outcome::kOverridden);
  EXPECT_EQ(result_of(results, "quorums").reason, "the fifth depth is trained elsewhere");
  EXPECT_TRUE(refusals(results).empty());
}

TEST(Gates, OverrideNamesAGateThatRefuses) {
  std::string text = example_text() + "gates: {override: {quorum: because}}\n";
  EXPECT_THAT(render_problems(parse_prereg(text, "x.yaml").problems, text, "x.yaml"),
              HasSubstr("quorums"));
  text = example_text() + "gates: {override: {power: because}}\n";
  EXPECT_FALSE(parse_prereg(text, "x.yaml").problems.empty());
}

TEST(Gates, ChangesOfAnOverrideAreDifferences) {
  const Prereg before = example();
  const Prereg after = with("robustness:", "gates: {override: {quorums: because}}\nrobustness:");
  EXPECT_NE(canonical(before), canonical(after));
}

TEST(Gates, EnforceNamesGateReasonAndRemedy) {
  const RehearsalCase study = case_of(with("family: [H1, H2, H3]", "family: [H2, H3]"));
  try {
    enforce_gates(study.prereg, study.plan);
    FAIL() << "the plan was admitted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
    EXPECT_THAT(e.what(), HasSubstr("gate correction_family: the family leaves out H1"));
    EXPECT_THAT(e.what(), HasSubstr("do: name every hypothesis"));
  }
  EXPECT_NO_THROW(enforce_gates(study_case().prereg, study_case().plan));
}

TEST(Gates, NoHypothesesNoGates) {
  Prereg prereg = example();
  prereg.hypotheses = Json::object();
  EXPECT_TRUE(gates_of(prereg).empty());
  EXPECT_NO_THROW(enforce_gates(prereg, case_of(prereg).plan));
}

}  // namespace
}  // namespace sweep
