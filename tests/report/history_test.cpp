#include <gmock/gmock.h>

#include "prereg/sample.h"
#include "report/report_builder.h"
#include "report/tables.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The small study, whose rate 1e-1 an amendment added when four runs had finished.
class AmendedStudy : public testing::Test {
 protected:
  AmendedStudy() : study_(small_study()) {
    Amendment amendment;
    amendment.time = "2026-08-02T12:00:00Z";
    amendment.what = "one rate more";
    amendment.why = "the grid ends too low";
    amendment.impact = "max stable LR is known further up";
    amendment.differences = {"grid train.learning_rate: level 1e-1 added"};
    amendment.seen.finished = {"a", "b", "c", "d"};
    amendment.seen.planned = 8;
    for (const RunRecord& record : study_.records()) {
      if (record.spec.config.train.learning_rate == 1e-1) amendment.added.push_back(record.spec);
    }
    history_.amendments = {amendment};
  }

  [[nodiscard]] Report report() const {
    const Lock lock = small_lock();
    const FloorTable floors = study_.floor_table();
    return build_report({study_.prereg(), lock, study_.records(), floors, 0, history_});
  }

  StudyBuilder study_;
  History history_;
};

TEST_F(AmendedStudy, MarksTheRowsThatRestOnAddedRuns) {
  const Report report = this->report();
  const Table& losses = table_named(report, "final-loss-n_layer-2");
  EXPECT_EQ(losses.rows[0][0].text, "1e-3");
  EXPECT_EQ(losses.rows[1][0].text, "1e-2");
  EXPECT_EQ(losses.rows[2][0].text, "1e-1 [A1]");
  EXPECT_EQ(losses.rows[2][0].value, 0.1);
  EXPECT_THAT(losses.note, HasSubstr("[A1]: touched by amendment 1, made when 4 of 8 runs had "
                                     "finished, nobody had looked at results."));
}

TEST_F(AmendedStudy, MarksFindingsOverARangeThatGotARunMore) {
  const Report report = this->report();
  for (const char* name : {"best", "lr-sensitivity", "max-stable-lr"}) {
    const Table& table = table_named(report, name);
    EXPECT_THAT(to_csv(table), Not(HasSubstr("[A1]"))) << name;
    EXPECT_THAT(to_markdown(table), HasSubstr("[A1]")) << name;
  }
}

TEST_F(AmendedStudy, NamesAmendmentsToProgramsByRow) {
  const Report report = this->report();
  const Table& losses = table_named(report, "final-loss-n_layer-2");
  EXPECT_EQ(losses.amendments, (std::vector<std::vector<int>>{{}, {}, {1}}));
  const std::string csv = to_csv(losses);
  EXPECT_THAT(csv.substr(0, csv.find('\n')), HasSubstr(",amendments"));
  const Json rows = to_json(losses).at("rows");
  EXPECT_FALSE(rows[0].contains("amendments"));
  EXPECT_EQ(rows[2].at("amendments"), Json({1}));
}

TEST_F(AmendedStudy, MarksItsFiguresAndWhatTheyAreDrawnFrom) {
  const Report report = this->report();
  for (const Figure& figure : report.figures) {
    EXPECT_THAT(figure.stamp, HasSubstr("amended: [A1]")) << figure.name;
    ASSERT_EQ(figure.data.amendments.size(), figure.data.rows.size());
    for (std::size_t i = 0; i < figure.data.rows.size(); ++i) {
      const bool added = figure.data.rows[i][1].value == 0.1;
      EXPECT_EQ(figure.data.amendments[i], added ? std::vector{1} : std::vector<int>{});
    }
  }
}

TEST_F(AmendedStudy, MarksRowsOverSeveralLevelsByAnyOfThem) {
  std::vector<Table> tables(1);
  tables[0].name = "gaps-n_layer-2";
  tables[0].columns = {{"x", "LR", "", Align::kLeft}};
  tables[0].rows = {{{"1e-3", 1e-3}}, {{"1e-1", 1e-1}}, {{"high", "high"}}};
  const Lock lock = small_lock();
  const FloorTable floors = study_.floor_table();
  const ReportInputs inputs{study_.prereg(), lock, study_.records(), floors, 0, history_};
  mark_amended(tables, inputs, study_.analysis());
  EXPECT_EQ(tables[0].rows[0][0].text, "1e-3");
  EXPECT_EQ(tables[0].rows[1][0].text, "1e-1 [A1]");
  EXPECT_EQ(tables[0].rows[2][0].text, "high [A1]");
}

TEST_F(AmendedStudy, MarksCurvesThatLostARun) {
  RunSpec gone = study_.records().front().spec;
  gone.arm = "base";
  gone.id = "gone";
  gone.levels[0].value = 1.0;
  history_.amendments[0].added.clear();
  history_.amendments[0].removed = {"gone"};
  history_.removed = {gone};
  const Report report = this->report();
  const Table& best = table_named(report, "best");
  EXPECT_EQ(cell_of(best, {"2", "base [A1]"}, "arm").value, "base");
  EXPECT_EQ(cell_of(best, {"2", "qknorm"}, "arm").text, "qknorm");
  EXPECT_THAT(to_markdown(table_named(report, "final-loss-n_layer-2")), Not(HasSubstr("[A1]")));
}

TEST_F(AmendedStudy, SaysWhichDefinitionsWereAmended) {
  history_.amendments[0].added.clear();
  history_.amendments[0].definitions = {"unusable"};
  EXPECT_THAT(table_named(report(), "max-stable-lr").note,
              HasSubstr("Amended definitions: unusable [A1]. [A1]: touched by amendment 1"));
}

TEST_F(AmendedStudy, HasTheAmendmentOfEachRunInItsData) {
  const Report report = this->report();
  const Table& runs = table_named(report, "runs");
  EXPECT_EQ(runs.columns.back().key, "amendment");
  for (const auto& row : runs.rows) {
    EXPECT_EQ(row.back().value, row[2].value == 0.1 ? Json(1) : Json()) << row[2].text;
  }
}

TEST_F(AmendedStudy, ListsItsAmendments) {
  const Report report = this->report();
  const Table& table = table_named(report, "amendments");
  EXPECT_EQ(cell_of(table, {"A1", "known then"}, "value").text,
            "4 of 8 runs had finished, nobody had looked at results");
  EXPECT_EQ(cell_of(table, {"A1", "impact"}, "value").text, "max stable LR is known further up");
  EXPECT_EQ(cell_of(table, {"A1", "added"}, "value").value.size(), 4U);
}

TEST_F(AmendedStudy, TellsProgramsWhatWasTouched) {
  const Json json = report_json(report());
  EXPECT_EQ(json["touched"]["runs"].size(), 4U);
  const Json touch = json["touched"]["runs"].begin().value();
  EXPECT_EQ(touch, (Json{{"amendment", 1}, {"after_data", true}, {"after_a_look", false}}));
  EXPECT_EQ(json["amendments"][0]["what"], "one rate more");
}

TEST_F(AmendedStudy, ByWordsAloneIsMarkedNowhere) {
  history_.amendments[0].added.clear();
  history_.amendments[0].kind = AmendmentKind::kEditorial;
  const Report report = this->report();
  EXPECT_THAT(to_markdown(table_named(report, "best")), Not(HasSubstr("[A1]")));
  EXPECT_EQ(cell_of(table_named(report, "amendments"), {"A1", "made"}, "value").text,
            "2026-08-02T12:00:00Z, editorial");
}

TEST_F(AmendedStudy, SaysOfEachVerdictWhatDeviated) {
  study_.prereg().seeds = {1, 2};
  study_.prereg().hypotheses["H2"] = {
      {"claim", "c"},
      {"supported_if",
       {{"quantity", "max_stable_lr"}, {"arm", "qknorm"}, {"is", "above"}, {"than", "base"}}},
      {"contradicted_if",
       {{"quantity", "max_stable_lr"}, {"arm", "qknorm"}, {"is", "below"}, {"than", "base"}}}};
  const auto deviations = [&] { return report().verdicts.at(0).deviations; };
  EXPECT_THAT(deviations(),
              ElementsAre(HasSubstr("4 of the 12 runs behind it were added by an amendment")));
  history_.amendments[0].definitions = {"unusable", "convergence"};  // not about convergence
  history_.amendments[0].hypotheses = {"H2", "H9"};
  history_.amendments[0].analysis = true;
  EXPECT_THAT(deviations(),
              ElementsAre("its rules were changed by amendment 1, after results existed",
                          "definition 'unusable' was changed by amendment 1, after results existed",
                          HasSubstr("analysis plan"), HasSubstr("4 of the 12 runs")));
  EXPECT_EQ(report_json(report())["verdicts"][0]["deviated"], true);
  history_.amendments.clear();
  EXPECT_THAT(deviations(), IsEmpty());
  study_.prereg().gates = {{"override", {{"outcomes", "a demonstration"}}}};
  EXPECT_THAT(deviations(), ElementsAre("gate 'outcomes' was set aside: a demonstration"));
}

/// The last pair of the small study, in a block of its own.
Report with_last_pair_in(const std::string& block) {
  StudyBuilder study = small_study();
  study.run("base", 2, 1.0, 1, 3.5).run("qknorm", 2, 1.0, 1, kNan);
  for (RunRecord& record : study.records()) {
    if (record.spec.config.train.learning_rate == 1.0) record.spec.block = block;
  }
  return report_on(study);
}

TEST(Blocks, OfRobustnessStandApartInPairs) {
  const Report report = with_last_pair_in("robustness: train.warmup_iters 3");
  const Table& table = table_named(report, "robustness-1");
  EXPECT_EQ(table.title, "Robustness under train.warmup_iters 3");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][2].value, 3.5);
  EXPECT_EQ(table.rows[0][3].text, "non-finite at 17");
  EXPECT_EQ(table_named(report, "final-loss-n_layer-2").rows.size(), 3U);
  EXPECT_EQ(report.planned, 14U);
}

TEST(Blocks, OfExploratoryRunsSaySoAndAreNotInThePlan) {
  const Report report = with_last_pair_in(kExploratoryBlock);
  const Table& table = table_named(report, "exploratory");
  EXPECT_THAT(table.note, HasSubstr("EXPLORATORY"));
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(report.planned, 12U);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(table_named(report, "final-loss-n_layer-2").rows.size(), 3U);
}

TEST(ReportedNotes, SayWhatWasKnown) {
  const StudyBuilder study = small_study();
  const Lock lock = small_lock();
  const FloorTable floors = study.floor_table();
  History history;
  history.notes = {{"2026-08-02T12:00:00Z", "odd", "3 of 12 runs had finished"}};
  const Report report = build_report({study.prereg(), lock, study.records(), floors, 0, history});
  EXPECT_EQ(table_named(report, "notes").rows[0][2].text, "odd");
}

TEST(RegistrationDocument, HoldsEverythingThatIsSigned) {
  const Prereg prereg = parsed(
      kSample +
      "definitions:\n  ranges: {high: [1e-3, 1e-2]}\n"
      "  gap: {of: final_val_loss, minuend: base, subtrahend: qk, average: range, per: seed}\n"
      "hypotheses:\n"
      "  H1: {claim: it helps,\n"
      "    supported_if: {all: [{quantity: gap, range: high, at_least: 0.1, seeds: all}]},\n"
      "    contradicted_if: {quantity: gap, range: high, at_most: 0, seeds: all}}\n");
  const std::string text = registration_markdown({prereg, {}});
  EXPECT_THAT(text, HasSubstr("**Draft: not registered.**"));
  EXPECT_THAT(text, HasSubstr("| H1 | it helps | (quantity gap, "));
  EXPECT_THAT(text, HasSubstr("| train.learning\\_rate | axis | 2 | 1e-3, 1e-2 |"));
  EXPECT_THAT(text, HasSubstr("4 runs"));
  EXPECT_THAT(text, HasSubstr("| train.weight\\_decay | 0.1 |"));
  EXPECT_THAT(text, Not(HasSubstr("| model.qk\\_norm |")));
  EXPECT_THAT(text, HasSubstr("## Signatures"));
}

TEST(RegistrationDocument, ListsWhatIsUndecided) {
  const ParsedPrereg open = parse_prereg(sample_with("seed: [1]", "seed: [ ]"), "sample.yaml");
  const std::string text = registration_markdown({open.prereg, open.placeholders});
  EXPECT_THAT(text, HasSubstr("## Undecided"));
}

}  // namespace
}  // namespace sweep
