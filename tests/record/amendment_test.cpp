#include "sweep/record/amendment.h"

#include <gmock/gmock.h>

#include "record/sweep_fixture.h"
#include "sweep/base/error.h"
#include "sweep/record/anchor.h"
#include "sweep/record/claim.h"
#include "sweep/record/journal.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// "exit code: message" of what `action` throws.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& e) {
    return fmt::format("{}: {}", static_cast<int>(e.code()), e.what());
  }
  return "nothing was thrown";
}

class Amend : public RegisteredSweep {};

TEST_F(Amend, AddsALevelAndKeepsAllOtherRuns) {
  const auto before = plan();
  finish(3);
  const Amendment amendment = amend(changed("[1e-3, 1e-2]", "[1e-3, 3e-3, 1e-2]"));
  EXPECT_THAT(amendment.differences, ElementsAre("grid train.learning_rate: level 3e-3 added"));
  EXPECT_EQ(amendment.added.size(), 4U);
  EXPECT_THAT(amendment.removed, IsEmpty());
  EXPECT_EQ(amendment.seen.finished.size(), 3U);
  EXPECT_EQ(amendment.seen.planned, 8U);
  EXPECT_FALSE(amendment.seen.complete);
  const auto after = plan();
  ASSERT_EQ(after.size(), 12U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  const Registration now = read_registration(sweep_);
  EXPECT_EQ(now.prereg.grid[0].levels.size(), 3U);
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Amend, TakesRunsOutButNeverFromTheDisk) {
  finish(8);
  const Amendment amendment = amend(changed("[1, 2]", "[1]"));
  EXPECT_EQ(amendment.removed.size(), 4U);
  EXPECT_EQ(plan().size(), 4U);
  for (const std::string& id : amendment.removed) {
    EXPECT_TRUE(fs::exists(sweep_.run(id).result()));
    EXPECT_THAT(plan(), Not(Contains(id)));
  }
  EXPECT_EQ(read_registration(sweep_).removed.size(), 4U);
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Amend, BringsARemovedRunBackWithItsResult) {
  finish(8);
  amend(changed("[1, 2]", "[1]"));
  const Amendment back = amend(write("back.yaml", kSweepText));
  EXPECT_EQ(back.added.size(), 4U);
  EXPECT_EQ(plan().size(), 8U);
  EXPECT_TRUE(seen_now(sweep_).complete);
  const AmendmentEffect effect = effect_of(read_amendments(sweep_));
  EXPECT_THAT(effect.removed, IsEmpty());
  EXPECT_EQ(effect.added.at(back.added[0].id), (Touch{2, true, true}));
}

TEST_F(Amend, SaysWhichDefinitionsAndHypothesesChanged) {
  const Amendment by = amend(changed("by: 0.3", "by: 0.2"));
  EXPECT_THAT(by.definitions, ElementsAre("unusable"));
  EXPECT_THAT(by.hypotheses, IsEmpty());
  EXPECT_THAT(by.added, IsEmpty());
  std::string text = kSweepText;
  text.replace(text.find("by: 0.3"), 7, "by: 0.2");
  text.replace(text.find("at_least: 0.1"), 13, "at_least: 0.2");
  const Amendment least = amend(write("least.yaml", text));
  EXPECT_THAT(least.hypotheses, ElementsAre("H1"));
  const AmendmentEffect effect = effect_of(read_amendments(sweep_));
  EXPECT_EQ(effect.definitions.at("unusable"), (Touch{1, false, false}));
  EXPECT_EQ(effect.hypotheses.at("H1"), (Touch{2, false, false}));
}

TEST_F(Amend, KnowsWhetherResultsCouldHaveBeenRead) {
  finish(1);
  log_event(sweep_, kPeekEvent, Json::object());
  const Amendment amendment = amend(changed("by: 0.3", "by: 0.2"));
  EXPECT_EQ(in_words(amendment.seen), "1 of 8 runs had finished, 1 interim look at results");
  EXPECT_TRUE(effect_of({amendment}).definitions.at("unusable").after_a_look);
}

TEST_F(Amend, RemembersThatAFullReportCouldBeRead) {
  finish(8);
  amend(changed("[1, 2]", "[1, 2, 3]"));
  const Seen seen = seen_now(sweep_);
  EXPECT_FALSE(seen.complete);
  EXPECT_TRUE(seen.after_a_look());
  EXPECT_EQ(in_words(seen),
            "8 of 12 runs had finished, the report could be read before an earlier amendment");
}

TEST_F(Amend, RefusesToRenameRuns) {
  EXPECT_THAT(error_of([&] {
                amend(changed("  seed: [1, 2]", "  train.beta2: [0.9, 0.95]\n  seed: [1, 2]"));
              }),
              HasSubstr("would be called"));
  EXPECT_THAT(read_amendments(sweep_), IsEmpty());
}

TEST_F(Amend, RefusesWhatChangesNothing) {
  EXPECT_THAT(error_of([&] { amend(changed("title: T", "title: U")); }), HasSubstr("2: "));
}

TEST_F(Amend, IsRefusedWhileTheSweepIsBeingRun) {
  const auto draft = draft_amendment(sweep_, changed("by: 0.3", "by: 0.2"), AmendmentKind::kChange,
                                     {"w", "y", "i"});
  const auto owner = Claim::try_take(sweep_.owner(), 0, make_token());
  EXPECT_THAT(error_of([&] { record_amendment(sweep_, draft); }), HasSubstr("5: "));
  EXPECT_THAT(read_amendments(sweep_), IsEmpty());
}

TEST_F(Amend, IsRefusedWhenTheSweepHasMovedOn) {
  const auto draft = draft_amendment(sweep_, changed("by: 0.3", "by: 0.2"), AmendmentKind::kChange,
                                     {"w", "y", "i"});
  finish(1);
  EXPECT_THAT(error_of([&] { record_amendment(sweep_, draft); }), HasSubstr("3: "));
}

TEST_F(Amend, EditorialChangesWordsAlone) {
  const Amendment amendment =
      amend(changed("title: T", "# a comment\ntitle: U"), AmendmentKind::kEditorial);
  EXPECT_THAT(amendment.differences, ElementsAre("title: 'T' became 'U'"));
  EXPECT_EQ(read_registration(sweep_).prereg.title, "U");
  EXPECT_THAT(effect_of({amendment}).added, IsEmpty());
  EXPECT_THAT(error_of([&] { amend(changed("by: 0.3", "by: 0.2"), AmendmentKind::kEditorial); }),
              HasSubstr("no editorial amendment"));
  EXPECT_THAT(error_of([&] {
                amend(write("same.yaml", read_file(sweep_.amended_prereg(1))),
                      AmendmentKind::kEditorial);
              }),
              HasSubstr("byte for byte"));
}

TEST_F(Amend, StoresTheTokensOfANewCorpus) {
  const Amendment amendment = amend(changed("synthetic_chars: 4000", "synthetic_chars: 5000"));
  EXPECT_EQ(amendment.data.size(), 2U);
  EXPECT_EQ(amendment.removed.size(), 8U);
  EXPECT_EQ(amendment.added.size(), 8U);
  for (const auto& [name, hash] : amendment.data) EXPECT_TRUE(fs::exists(sweep_.data() / name));
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Amend, RoundTripsThroughJson) {
  finish(2);
  const Amendment amendment = amend(changed("[1e-3, 1e-2]", "[1e-3, 3e-3]"));
  EXPECT_EQ(to_text(to_json(amendment_from_json(to_json(amendment)))), to_text(to_json(amendment)));
  EXPECT_THROW(amendment_from_json(Json::parse("{}")), Error);
}

class Chain : public RegisteredSweep {
 protected:
  Chain() {
    amend(changed("by: 0.3", "by: 0.2"));
    amend(changed("by: 0.3", "by: 0.1"));
  }
};

TEST_F(Chain, EachAmendmentHoldsTheHashOfTheOneBefore) {
  const auto links = chain_of(sweep_);
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].hash, sha256_of_file(sweep_.lock()));
  EXPECT_EQ(read_amendments(sweep_)[0].previous, links[0].hash);
  EXPECT_EQ(read_amendments(sweep_)[1].previous, links[1].hash);
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Chain, BreaksWhenOneIsAltered) {
  Json first = read_json(sweep_.amendment(1));
  first["why"] = "a better reason";
  publish(sweep_.amendment(1), to_text(first));
  EXPECT_THAT(verify_sweep(sweep_), Contains(HasSubstr("differs from the hash in 0002.json")));
}

TEST_F(Chain, BreaksWhenTheLockIsAltered) {
  Json lock = read_json(sweep_.lock());
  lock["registered_at"] = "2020-01-01T00:00:00Z";
  publish(sweep_.lock(), to_text(lock));
  EXPECT_THAT(verify_sweep(sweep_), Contains(HasSubstr("differs from the hash in 0001.json")));
}

TEST_F(Chain, BreaksWhenTheLastIsDroppedOrATextIsAltered) {
  publish(sweep_.amended_prereg(1), "title: forged\n");
  EXPECT_THAT(verify_sweep(sweep_), Contains(HasSubstr("0001.yaml differs")));
  fs::remove(sweep_.amendment(2));
  EXPECT_THAT(verify_sweep(sweep_), Contains(HasSubstr("0002.json is missing")));
}

TEST_F(Chain, HasNoHoles) {
  fs::remove(sweep_.amendment(1));
  EXPECT_THAT(error_of([&] { read_plan(sweep_); }), HasSubstr("0001.json is missing"));
}

class Explore : public RegisteredSweep {};

TEST_F(Explore, AddsOnlyWhatIsNotPlannedAndLast) {
  const Amendment amendment =
      amend(changed("[1e-3, 1e-2]", "[1e-2, 1]"), AmendmentKind::kExploratory);
  EXPECT_EQ(amendment.added.size(), 4U);
  for (const RunSpec& spec : amendment.added) EXPECT_EQ(spec.block, kExploratoryBlock);
  EXPECT_EQ(read_plan(sweep_).back().block, kExploratoryBlock);
  EXPECT_EQ(read_registration(sweep_).prereg.grid[0].levels.size(), 2U);
  EXPECT_THAT(effect_of({amendment}).added, IsEmpty());
  EXPECT_THAT(error_of([&] { amend(write("same.yaml", kSweepText), AmendmentKind::kExploratory); }),
              HasSubstr("nothing to explore"));
}

TEST_F(Explore, CompletenessDoesNotWaitForThem) {
  finish(8);
  amend(changed("[1e-3, 1e-2]", "[1]"), AmendmentKind::kExploratory);
  EXPECT_TRUE(seen_now(sweep_).complete);
}

TEST_F(Explore, AnExploratoryRunMayEnterThePlanByAnAmendment) {
  amend(changed("[1e-3, 1e-2]", "[1]"), AmendmentKind::kExploratory);
  finish(12);
  const Amendment amendment = amend(changed("[1e-3, 1e-2]", "[1e-3, 1e-2, 1]"));
  EXPECT_EQ(amendment.added.size(), 4U);
  EXPECT_EQ(plan().size(), 12U);
  for (const RunSpec& spec : read_plan(sweep_)) EXPECT_EQ(spec.block, kMainBlock);
  EXPECT_TRUE(effect_of(read_amendments(sweep_)).added.at(amendment.added[0].id).after_data);
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Explore, AStartedRunMustFinishBeforeItEntersThePlan) {
  const Amendment explored = amend(changed("[1e-3, 1e-2]", "[1]"), AmendmentKind::kExploratory);
  const RunDir run = sweep_.run(explored.added[0].id);
  fs::create_directories(run.path);
  publish(run.config(), to_text(to_json(explored.added[0])));
  EXPECT_THAT(error_of([&] { amend(changed("[1e-3, 1e-2]", "[1e-3, 1e-2, 1]")); }),
              HasSubstr("started as an exploratory run"));
}

class Numerics : public RegisteredSweep {
 protected:
  void accept(const std::string& fingerprint, bool redo_pairs = false) {
    record_amendment(sweep_, draft_numerics(sweep_, numerics(fingerprint), redo_pairs,
                                            {"what", "why", "impact"}));
  }
};

TEST_F(Numerics, OfAnotherMachineAreAcceptedByAnAmendment) {
  finish(4);
  accept("there");
  EXPECT_THAT(accepted_numerics(read_registration(sweep_)),
              ElementsAre(numerics("here"), numerics("there")));
  EXPECT_THAT(read_amendments(sweep_)[0].differences,
              ElementsAre("instruction_set: registered \"here\", here \"there\"",
                          "fingerprint: registered \"here\", here \"there\""));
  EXPECT_THAT(error_of([&] { accept("there"); }), HasSubstr("accepted already"));
  EXPECT_TRUE(effect_of(read_amendments(sweep_)).numerics->after_data);
}

TEST_F(Numerics, AreRefusedWhereAPairWouldBeSplit) {
  finish(3);
  EXPECT_THAT(error_of([&] { accept("there"); }), HasSubstr("the other half of the pair not"));
  EXPECT_THAT(read_amendments(sweep_), IsEmpty());
  EXPECT_THAT(pairs_split_by(sweep_, "there"), ElementsAre(plan()[3]));
  EXPECT_THAT(pairs_split_by(sweep_, "here"), IsEmpty());
}

TEST_F(Numerics, SetFinishedHalvesAsideWhenToldTo) {
  finish(3);
  const std::string half = plan()[2];
  accept("there", true);
  EXPECT_THAT(read_amendments(sweep_)[0].set_aside, ElementsAre(half));
  EXPECT_FALSE(fs::exists(sweep_.run(half).path));
  EXPECT_TRUE(fs::exists(sweep_.set_aside() / "0001" / half / "result.json"));
  EXPECT_THAT(pairs_split_by(sweep_, "there"), IsEmpty());
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

class Notes : public RegisteredSweep {};

TEST_F(Notes, SayWhatWasKnownWhenTheyWereWritten) {
  add_note(sweep_, "the loss at 1e-2 looks odd");
  finish(8);
  add_note(sweep_, "it is the corpus");
  const auto notes = read_notes(sweep_);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].text, "the loss at 1e-2 looks odd");
  EXPECT_EQ(notes[0].known, "0 of 8 runs had finished, nobody had looked at results");
  EXPECT_EQ(notes[1].known, "8 of 8 runs had finished, the report could be read");
  EXPECT_THAT(error_of([&] { add_note(sweep_, " "); }), HasSubstr("empty"));
}

}  // namespace
}  // namespace sweep
