#include "sweep/queue/attempts.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

Attempt started(std::int64_t number) {
  Attempt attempt;
  attempt.number = number;
  attempt.host = "here";
  attempt.pid = 42;
  attempt.started = "2026-08-01T12:00:00Z";
  return attempt;
}

TEST(Attempts, ReadBackWhatWasWritten) {
  const TemporaryFolder folder;
  const RunDir run{folder.path()};
  Attempt first = started(1);
  append_attempt_start(run, first);
  EXPECT_EQ(read_attempts(run), std::vector{first});
  first.ended = "2026-08-01T12:01:00Z";
  first.end = AttemptEnd::kFailed;
  first.status = "signal 9 (Killed)";
  first.cause = "out of memory";
  first.retry = false;
  append_attempt_end(run, first);
  append_attempt_start(run, started(2));
  EXPECT_EQ(read_attempts(run), (std::vector{first, started(2)}));
}

TEST(Attempts, AreLinesThatPeopleCanRead) {
  const TemporaryFolder folder;
  const RunDir run{folder.path()};
  Attempt attempt = started(1);
  append_attempt_start(run, attempt);
  attempt.ended = "2026-08-01T12:01:00Z";
  attempt.end = AttemptEnd::kFinished;
  attempt.status = "exit 0";
  append_attempt_end(run, attempt);
  EXPECT_EQ(read_file(run.attempts()),
            R"({"attempt":1,"event":"start","time":"2026-08-01T12:00:00Z","host":"here","pid":42})"
            "\n"
            R"({"attempt":1,"event":"end","time":"2026-08-01T12:01:00Z","end":"finished",)"
            R"("status":"exit 0"})"
            "\n");
}

TEST(Attempts, OfAKilledOrchestratorHaveNoKnownEnd) {
  const TemporaryFolder folder;
  const RunDir run{folder.path()};
  append_attempt_start(run, started(1));
  append_attempt_start(run, started(2));
  const auto attempts = read_attempts(run);
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].end, AttemptEnd::kUnknown);
  EXPECT_TRUE(attempts[0].retry);
}

TEST(Attempts, LeaveDamagedLinesOut) {
  const TemporaryFolder folder;
  const RunDir run{folder.path()};
  publish(run.attempts(), "rubbish\n[1]\n{\"attempt\":1,\"event\":\"start\"}\n{\"attempt\":1,\"ev");
  EXPECT_EQ(read_attempts(run).size(), 1U);
  EXPECT_TRUE(read_attempts(RunDir{folder / "none"}).empty());
}

}  // namespace
}  // namespace sweep
