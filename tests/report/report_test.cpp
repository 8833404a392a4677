#include "sweep/report/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/report_builder.h"
#include "support/golden.h"
#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// The tables that hold findings; what they rest on is tested by itself.
constexpr std::array kFindings = {"final-loss-n_layer-2", "failures", "best",       "max-stable-lr",
                                  "lr-sensitivity",       "plan",     "definitions"};

std::string findings(const Report& report, std::string (*print)(const Table&)) {
  std::string text;
  for (const char* name : kFindings) text += print(table_named(report, name)) + "\n";
  return text;
}

std::string on_terminal(const Table& table) { return to_terminal(table, {100, true}); }

Table loss_table(const StudyBuilder& study) {
  return table_named(report_on(study), "final-loss-n_layer-2");
}

TEST(Report, OfASmallStudyIsTheGoldenOneOnATerminal) {
  expect_golden("report/small.txt", findings(report_on(small_study()), on_terminal));
}

TEST(Report, OfASmallStudyIsTheGoldenOneInMarkdown) {
  expect_golden("report/small.md", findings(report_on(small_study()), to_markdown));
}

TEST(Report, OfASmallStudyIsTheGoldenOneInCsv) {
  const Report report = report_on(small_study());
  expect_golden("report/small-max-stable-lr.csv", to_csv(table_named(report, "max-stable-lr")));
  expect_golden("report/small-failures.csv", to_csv(table_named(report, "failures")));
}

TEST(Report, OfASmallStudyIsTheGoldenOneInJson) {
  Json json = report_json(report_on(small_study()));
  json.erase("tables");
  expect_golden("report/small.json", json);
}

TEST(Report, BeginsWithTheQuestionAndHowMuchIsThere) {
  std::ostringstream out;
  print_report(report_on(small_study()), {100, true}, out);
  EXPECT_EQ(out.str().find("A small study\nDoes the report say what was measured?\n"
                           "12 of 12 runs\n\nFinal validation loss, n_layer 2\n"),
            0U)
      << out.str();
}

TEST(Report, DoesNotDependOnTheOrderOfRecords) {
  StudyBuilder reversed = small_study();
  std::reverse(reversed.records().begin(), reversed.records().end());
  EXPECT_EQ(report_json(report_on(small_study())), report_json(report_on(reversed)));
}

TEST(LossTable, MarksFailedRunsAndCountsThem) {
  const Table table = loss_table(small_study());
  EXPECT_EQ(cell_of(table, {"1e-2"}, "base_loss").text, "2.400 (1/2 unusable)");
  EXPECT_EQ(cell_of(table, {"1e-2"}, "base_seeds").text, "2.300 2.500D");
}

TEST(LossTable, NeverAveragesOverANonFiniteRun) {
  const Table table = loss_table(small_study());
  EXPECT_EQ(cell_of(table, {"1e-1"}, "base_loss"), (TableCell{"– (2/2 unusable)", nullptr}));
  EXPECT_EQ(cell_of(table, {"1e-1"}, "base_seeds").text, "N 4.500B");
  EXPECT_EQ(cell_of(table, {"1e-1"}, "base_seeds").value.dump(), "[null,4.5]");
  EXPECT_EQ(cell_of(table, {"1e-1"}, "base_perplexity").value, nullptr);
}

TEST(LossTable, SaysHowManyRunsAMeanLacks) {
  StudyBuilder study = small_study();
  study.records()[0].result.reset();
  const Table table = loss_table(study);
  EXPECT_EQ(cell_of(table, {"1e-3"}, "base_loss").text, "2.200 (1/2 finished)");
  EXPECT_EQ(cell_of(table, {"1e-3"}, "base_seeds").text, "– 2.200");
}

TEST(LossTable, OfManySeedsShowsDeviationAndExtremes) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {1.0, 2.0, 2.0, 3.0});
  const Table table = loss_table(study);
  EXPECT_EQ(cell_of(table, {"1e-3"}, "base_seeds").text, "1.000–3.000");
  EXPECT_EQ(cell_of(table, {"1e-3"}, "base_loss").text, "2.000 ± 0.816 (1/4 unusable)");
  EXPECT_NE(table.note.find("± standard deviation"), std::string::npos);
}

TEST(LossTable, LeavesACellEmptyThatWasNotPlanned) {
  StudyBuilder study = small_study();
  study.run("base", 2, 3e-1, 1, 2.0);
  EXPECT_EQ(cell_of(loss_table(study), {"3e-1"}, "qknorm_loss"), (TableCell{"–", nullptr}));
}

TEST(LossTable, ReportsAPerplexityTooLargeForANumberAsNone) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 1000.0, 4.0);
  EXPECT_EQ(cell_of(loss_table(study), {"1e-3"}, "base_perplexity").value, nullptr);
}

TEST(FailureTable, CountsByRuleAndSaysHow) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "failures");
  EXPECT_EQ(cell_of(table, {"2", "1e-1"}, "base_diverged"), (TableCell{"2/2", 2}));
  EXPECT_EQ(cell_of(table, {"2", "1e-2"}, "base_diverged"), (TableCell{"0/2", 0}));
  EXPECT_EQ(cell_of(table, {"2", "1e-2"}, "base_unusable"), (TableCell{"1/2", 1}));
  EXPECT_EQ(cell_of(table, {"2", "1e-1"}, "base_outcomes").text, "1 nonfinite, 1 blowup");
  EXPECT_EQ(cell_of(table, {"2", "1e-3"}, "qknorm_outcomes").text, "ok");
  EXPECT_NE(table.note.find("78 %"), std::string::npos);  // 1 - .05^(1/2) = .776
}

TEST(BestTable, SaysWhenTheGridEndsTooLow) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 2.2).run("base", 2, 1e-2, 1, 2.0);
  const Report report = report_on(study);
  EXPECT_EQ(cell_of(table_named(report, "best"), {"2", "base"}, "remark").text,
            "best at the top of the grid: the grid ends too low");
}

TEST(StabilityTable, SpellsOutEachKindOfValue) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "max-stable-lr");
  EXPECT_EQ(cell_of(table, {"2", "1"}, "base_stable_to"), (TableCell{"1e-2", 1e-2}));
  EXPECT_EQ(cell_of(table, {"2", "1"}, "base_fails_at"), (TableCell{"1e-1", 1e-1}));
  EXPECT_EQ(cell_of(table, {"2", "all"}, "base_stable_to"), (TableCell{"1e-3", 1e-3}));
  EXPECT_EQ(cell_of(table, {"2", "all"}, "qknorm_stable_to"), (TableCell{"≥ 1e-1", 1e-1}));
  EXPECT_EQ(cell_of(table, {"2", "all"}, "qknorm_remark").text, "right-censored");
}

TEST(StabilityTable, NamesNoneMissingAndNonMonotone) {
  StudyBuilder study;
  study.run("base", 2, 1e-3, 1, 3.9).run("base", 2, 1e-2, 1, 3.9);
  study.run("qknorm", 2, 1e-3, 1, 2.0).run("qknorm", 2, 1e-2, 1, std::nullopt);
  study.run("base", 4, 1e-3, 1, 2.0).run("base", 4, 1e-2, 1, 2.9).run("base", 4, 1e-1, 1, 2.1);
  const Report report = report_on(study);
  const Table& table = table_named(report, "max-stable-lr");
  EXPECT_EQ(cell_of(table, {"2", "all"}, "base_stable_to"), (TableCell{"none", nullptr}));
  EXPECT_EQ(cell_of(table, {"2", "all"}, "qknorm_stable_to"), (TableCell{"?", nullptr}));
  EXPECT_EQ(cell_of(table, {"4", "all"}, "base_remark").text,
            "NON_MONOTONE, usable again up to 1e-1");
  EXPECT_EQ(cell_of(table, {"4", "all"}, "qknorm_remark").text, "not planned");
}

TEST(SensitivityTable, SaysWhyThereIsNoValue) {
  StudyBuilder study = small_study();
  study.records()[0].result.reset();
  const Report report = report_on(study);
  const Table& table = table_named(report, "lr-sensitivity");
  EXPECT_EQ(cell_of(table, {"2", "base"}, "registered"), (TableCell{"–", nullptr}));
  EXPECT_EQ(cell_of(table, {"2", "base"}, "remark").text, "1 run missing");
  EXPECT_EQ(cell_of(table, {"2", "base"}, "registered_seeds").text, "– 0.700");
  EXPECT_NE(table.note.find("the grid lacks 3e-4"), std::string::npos);
}

TEST(ArmsTable, ProvesThatArmsDifferInOneSetting) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "arms");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0].text, "model.qk_norm");
  EXPECT_EQ(table.rows[0][1].text, "none");
  EXPECT_EQ(table.rows[0][2].text, "rms_per_head");
  const std::size_t others = config_fields().size() - 1;
  EXPECT_EQ(table.note.find(fmt::format("All other {} settings are equal", others)), 0U);
}

TEST(ArmsTable, FindsADifferenceThatNobodyRegistered) {
  StudyBuilder study = small_study();
  study.records().back().spec.config.train.beta2 = 0.99;
  const Report report = report_on(study);
  const Table& table = table_named(report, "arms");
  EXPECT_EQ(cell_of(table, {"train.beta2"}, "qknorm").text, "varies");
  EXPECT_EQ(cell_of(table, {"train.beta2"}, "base").text, "0.95");
}

TEST(IsolationTable, CountsThePairsThatShareWeightsAndBatches) {
  StudyBuilder study = small_study();
  for (RunRecord& record : study.records()) {
    record.result->shared_init_hash = fmt::format("weights of seed {}", record.spec.seed);
    record.result->batches_hash = "windows";
  }
  study.records().back().result->batches_hash = "other windows";
  study.records().front().result.reset();
  const Report report = report_on(study);
  const Table& table = table_named(report, "isolation");
  EXPECT_EQ(cell_of(table, {"initial weights"}, "value").text, "equal in 5 of 5 pairs");
  EXPECT_EQ(cell_of(table, {"training windows, in order"}, "value").text, "equal in 4 of 5 pairs");
  EXPECT_EQ(cell_of(table, {"tokens"}, "value").text, "equal in 5 of 5 pairs");
  // A trainer that does not say proves nothing.
  EXPECT_EQ(cell_of(table, {"numerics"}, "value").text, "equal in 0 of 5 pairs");
}

TEST(IsolationTable, SaysSoWhereTheDeviceDoesNotRepeatItself) {
  const StudyBuilder study = small_study();
  const FloorTable floors = study.floor_table();
  Lock lock = small_lock();
  const auto note = [&] {
    return table_named(build_report({study.prereg(), lock, study.records(), floors, 0, {}, {}}),
                       "isolation")
        .note;
  };
  const std::string usual = note();
  lock.numeric_identity["reproducible"] = true;
  EXPECT_EQ(note(), usual);
  lock.numeric_identity["reproducible"] = false;
  lock.numeric_identity["device"] = "mps";
  EXPECT_NE(note().find("Equal runs on mps need not come out equal to the last bit"),
            std::string::npos);
}

TEST(FixedTable, HoldsWhatIsEqualInEveryRun) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "held-fixed");
  EXPECT_EQ(cell_of(table, {"train.weight_decay"}, "value"), (TableCell{"0.1", 0.1}));
  EXPECT_EQ(cell_of(table, {"model.n_layer"}, "value"), (TableCell{"2", 2}));
  EXPECT_THROW(cell_of(table, {"train.learning_rate"}, "value"), std::runtime_error);
  EXPECT_THROW(cell_of(table, {"model.qk_norm"}, "value"), std::runtime_error);
}

TEST(ParametersTable, CountsEachArmOnce) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "parameters");
  ASSERT_EQ(table.rows.size(), 2U);
  // d 64, L 2, T 64, V 65: 2 (12 d^2 + 2 d) + d = 98,624; + V d = 102,784; + T d = 106,880.
  EXPECT_EQ(cell_of(table, {"2", "base"}, "non_embedding"), (TableCell{"98,624", 98624}));
  EXPECT_EQ(cell_of(table, {"2", "base"}, "nanogpt").value, 102784);
  EXPECT_EQ(cell_of(table, {"2", "base"}, "total").value, 106880);
  EXPECT_EQ(cell_of(table, {"2", "qknorm"}, "qk_norm").value, 128);
}

TEST(CorpusTable, StandsOncePerSetOfEvaluatedTokens) {
  StudyBuilder study = small_study();
  const auto tables_of = [](const StudyBuilder& s) {
    const Report report = report_on(s);
    return std::count_if(report.tables.begin(), report.tables.end(),
                         [](const Table& t) { return t.name.starts_with("corpus"); });
  };
  EXPECT_EQ(tables_of(study), 1);
  study.records().back().spec.config.measure.eval_tokens = 128;
  EXPECT_EQ(tables_of(study), 2);
}

TEST(CorpusTable, ShowsTheSourcesEntropyWhereItIsKnown) {
  StudyBuilder study = small_study();
  const auto rows = [&] { return table_named(report_on(study), "corpus").rows.size(); };
  const std::size_t unknown = rows();
  for (RunRecord& record : study.records()) record.spec.data.known_entropy = 1.25;
  EXPECT_EQ(rows(), unknown + 1);
}

TEST(DefinitionsTable, PutsEachRuleInWords) {
  StudyBuilder study = small_study();
  auto& definitions = study.prereg().definitions;
  definitions.diverged[2].level = FailureRule::LossLevel::kNumber;
  definitions.diverged[2].number = 3.25;
  definitions.diverged[2].minus = 0;
  definitions.unusable[1].by = 0.5;
  definitions.unusable[1].of = "same_stratum";
  definitions.max_stable_lr.contiguous = false;
  definitions.lr_sensitivity.points = "wortsman";
  const Report report = report_on(study);
  const Table& table = table_named(report, "definitions");
  EXPECT_NE(cell_of(table, {"diverged"}, "rule").text.find("final loss at or above 3.25"),
            std::string::npos);
  EXPECT_EQ(cell_of(table, {"unusable"}, "rule").text,
            "diverged; or final loss more than 0.5 above the lowest seed mean of any arm in the "
            "stratum");
  EXPECT_NE(cell_of(table, {"max stable level"}, "rule").text.find("highest level"),
            std::string::npos);
  EXPECT_NE(cell_of(table, {"LR-sensitivity"}, "rule").text.find("Wortsman's seven"),
            std::string::npos);
  EXPECT_NE(table.note.find("almost never fires"), std::string::npos);
}

TEST(PlanTable, ListsWhatIsMissingAndCountsLooks) {
  StudyBuilder study = small_study();
  study.records()[3].result.reset();
  const Table table = table_named(report_on(study, 2), "plan");
  EXPECT_EQ(cell_of(table, {"runs missing"}, "value").text, "qknorm-L2-lr1e-3-s2");
  EXPECT_EQ(cell_of(table, {"runs finished"}, "value").value, 11);
  EXPECT_EQ(cell_of(table, {"looks before completion"}, "value").value, 2);
}

TEST(PlanTable, CountsOtherBlocksWithoutMixingThemIn) {
  StudyBuilder study = small_study();
  study.run("base", 2, 1e-3, 9, 9.9);
  study.records().back().spec.block = "robustness";
  const Report report = report_on(study);
  EXPECT_EQ(cell_of(table_named(report, "plan"), {"of these in block robustness"}, "value").text,
            "1 of 1 run finished; no finding rests on them");
  EXPECT_EQ(cell_of(table_named(report, "final-loss-n_layer-2"), {"1e-3"}, "base_loss").text,
            "2.100");
}

TEST(PlanTable, ShortensALongListButNotItsValue) {
  StudyBuilder study;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) study.run("base", 2, 1e-3, seed, std::nullopt);
  const Report report = report_on(study);
  const TableCell& missing = cell_of(table_named(report, "plan"), {"runs missing"}, "value");
  EXPECT_NE(missing.text.find("and 8 more"), std::string::npos);
  EXPECT_EQ(missing.value.size(), 20U);
}

TEST(ProvenanceTable, HasHashesCodeAndNumericIdentity) {
  const Report report = report_on(small_study());
  const Table& table = table_named(report, "provenance");
  EXPECT_EQ(cell_of(table, {"pre-registration"}, "value"),
            (TableCell{"0123456789ab", "0123456789abcdef"}));
  EXPECT_EQ(cell_of(table, {"code, clean"}, "value").text, "yes");
  EXPECT_EQ(cell_of(table, {"numeric, device"}, "value").text, "cpu");
}

TEST(InterimReport, IsStampedEverywhere) {
  StudyBuilder study = small_study();
  study.records()[0].result.reset();
  const Report report = report_on(study);
  EXPECT_FALSE(report.complete());
  for (const auto* tables : {&report.tables, &report.data}) {
    for (const Table& table : *tables) EXPECT_EQ(table.stamp, "INTERIM: 11 of 12 runs");
  }
  for (const Figure& figure : report.figures) {
    EXPECT_EQ(figure.stamp, "INTERIM: 11 of 12 runs");
    EXPECT_EQ(figure.data.stamp, "INTERIM: 11 of 12 runs");
    EXPECT_NE(gnuplot_script(figure).find("INTERIM: 11 of 12 runs"), std::string::npos);
  }
}

TEST(InterimReport, OfAPlanWithoutAnyResultCanBePrinted) {
  StudyBuilder study;
  study.cell("base", 2, 1e-3, {std::nullopt}).cell("qknorm", 2, 1e-3, {std::nullopt});
  const Report report = report_on(study);
  std::ostringstream out;
  print_report(report, {80, true}, out);
  EXPECT_NE(out.str().find("0 of 2 runs"), std::string::npos);
  EXPECT_EQ(report_json(report)["cells"][0]["runs"][0]["status"], "missing");
}

TEST(CompleteReport, IsNotStamped) {
  const Report report = report_on(small_study());
  EXPECT_TRUE(report.complete());
  for (const Table& table : report.tables) EXPECT_EQ(table.stamp, "");
}

TEST(Report, NeedsARun) { EXPECT_THROW(report_on(StudyBuilder{}), Error); }

TEST(ReportJson, HoldsTheNumbersOfTheMeasuredTable) {
  const Json json = report_json(report_on(measured_table()));
  EXPECT_EQ(json["planned"], 40);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["floors"]["unigram"], 3.347);
  const Json& base = json["lr_sensitivity"][0];
  EXPECT_EQ(base["arm"], "base");
  EXPECT_EQ(base["stratum"], 2);
  EXPECT_NEAR(base["mean"].get<double>(), 0.545, 0.001);
  EXPECT_NEAR(base["per_seed"][1].get<double>(), 0.559, 0.001);
  EXPECT_EQ(json["max_stable_lr"].size(), 12U);  // 2 strata, 2 arms, 2 seeds and all
  EXPECT_EQ(json["max_stable_lr"][2]["seed"], "all");
  EXPECT_EQ(json["max_stable_lr"][2]["value"], 0.01);
  EXPECT_EQ(json["max_stable_lr"][2]["censored"], nullptr);
}

TEST(ReportJson, HasNullAndAFlagForANonFiniteLoss) {
  const Json json = report_json(report_on(small_study()));
  for (const Json& cell : json["cells"]) {
    if (cell["arm"] != "base" || cell["x"] != 0.1) continue;
    EXPECT_EQ(cell["runs"][0]["final_val_loss"], nullptr);
    EXPECT_EQ(cell["runs"][0]["nonfinite"]["final_val_loss"], "nan");
    EXPECT_EQ(cell["runs"][0]["status"], "nonfinite");
    return;
  }
  FAIL();
}

TEST(ReportJson, SaysWhichRunsLeaveAValueUndefined) {
  StudyBuilder study = small_study();
  study.records()[0].result.reset();
  const Json json = report_json(report_on(study));
  EXPECT_EQ(json["lr_sensitivity"][0]["mean"], nullptr);
  EXPECT_EQ(json["lr_sensitivity"][0]["reason"], "1 run missing");
  EXPECT_EQ(json["lr_sensitivity"][0]["runs"], Json::array({"base-L2-lr1e-3-s1"}));
  EXPECT_EQ(json["missing"], Json::array({"base-L2-lr1e-3-s1"}));
}

}  // namespace
}  // namespace sweep
