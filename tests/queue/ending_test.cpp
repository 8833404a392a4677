#include "queue/ending.h"

#include <gtest/gtest.h>

#include <csignal>

namespace sweep {
namespace {

EndFacts exited(int code) {
  EndFacts facts;
  facts.exit_code = code;
  return facts;
}

EndFacts signalled(int number) {
  EndFacts facts;
  facts.signal = number;
  return facts;
}

void expect(const EndFacts& facts, AttemptEnd end, Next next) {
  const Ending ending = classify(facts);
  EXPECT_EQ(to_string(ending.end), to_string(end));
  EXPECT_EQ(static_cast<int>(ending.next), static_cast<int>(next));
}

TEST(Ending, OnlyAResultProvesCompletion) {
  for (EndFacts facts : {exited(0), exited(1), exited(75), signalled(SIGKILL)}) {
    facts.has_result = true;
    expect(facts, AttemptEnd::kFinished, Next::kDone);
  }
  expect(exited(0), AttemptEnd::kFailed, Next::kRetry);
}

TEST(Ending, CrashesAndKillsAreRetried) {
  expect(exited(1), AttemptEnd::kFailed, Next::kRetry);
  expect(exited(137), AttemptEnd::kFailed, Next::kRetry);
  expect(signalled(SIGSEGV), AttemptEnd::kFailed, Next::kRetry);
  expect(signalled(SIGKILL), AttemptEnd::kFailed, Next::kRetry);
}

TEST(Ending, NamesWantOfMemoryAsTheCauseOfAKill) {
  EXPECT_EQ(classify(signalled(SIGKILL)).cause, "possibly out of memory");
  EndFacts facts = signalled(SIGKILL);
  facts.out_of_memory = true;
  EXPECT_EQ(classify(facts).cause, "out of memory");
  EXPECT_EQ(classify(signalled(SIGSEGV)).cause, "");
}

TEST(Ending, ACheckpointWithProgressIsCarriedOn) {
  EndFacts facts = exited(75);
  facts.progressed = true;
  expect(facts, AttemptEnd::kCheckpointed, Next::kCarryOn);
  facts.progressed = false;
  expect(facts, AttemptEnd::kFailed, Next::kRetry);
}

TEST(Ending, BadInputIsNeverRetried) { expect(exited(2), AttemptEnd::kFailed, Next::kGiveUp); }

TEST(Ending, AClaimedRunIsLeftToItsHolder) {
  expect(exited(5), AttemptEnd::kElsewhere, Next::kWaitForIt);
}

TEST(Ending, WantOfResourcesStopsTheQueue) {
  expect(exited(6), AttemptEnd::kFailed, Next::kStopQueue);
}

TEST(Ending, AskedForIsNoFailure) {
  for (EndFacts facts : {exited(75), signalled(SIGKILL), signalled(SIGTERM)}) {
    facts.asked_to_stop = true;
    expect(facts, AttemptEnd::kStopped, Next::kLeave);
  }
  EndFacts crashed = exited(1);
  crashed.asked_to_stop = true;
  expect(crashed, AttemptEnd::kFailed, Next::kLeave);
}

TEST(Ending, AHungWorkerCountsAsFailureHoweverItEnds) {
  for (EndFacts facts : {exited(75), signalled(SIGKILL)}) {
    facts.hung = true;
    expect(facts, AttemptEnd::kHung, Next::kRetry);
  }
}

}  // namespace
}  // namespace sweep
