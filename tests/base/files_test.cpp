#include "sweep/base/files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

TEST(Publish, ReplacesTheContentAndLeavesNothingElse) {
  const TemporaryFolder folder;
  publish(folder / "a", "one");
  publish(folder / "a", "two");
  EXPECT_EQ(read_file(folder / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// A process is killed at each point of publishing; a reader then sees all of the old or the new.
TEST(Publish, KilledAnywhereLeavesOldOrNew) {
  for (const char* point : {"created", "written", "synced", "renamed"}) {
    const TemporaryFolder folder;
    publish(folder / "a", "old");
    const std::string label = std::string("publish.") + point + ":a";
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("SWEEP_CRASH_AT", label.c_str(), 1);
      publish(folder / "a", "new");
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << point;
    EXPECT_EQ(read_file(folder / "a"), std::string(point) == "renamed" ? "new" : "old") << point;
  }
}

TEST(ReadLines, LeavesATornLastLineOut) {
  const TemporaryFolder folder;
  publish(folder / "log", "one\ntwo\nthr");
  EXPECT_EQ(read_lines(folder / "log"), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(read_lines(folder / "missing").empty());
}

TEST(LineWriter, CutsATornLineBeforeItAppends) {
  const TemporaryFolder folder;
  publish(folder / "log", "one\ntor");
  append_line(folder / "log", "two");
  append_line(folder / "log", "three");
  EXPECT_EQ(read_file(folder / "log"), "one\ntwo\nthree\n");
}

TEST(LineWriter, CountsItsBytes) {
  const TemporaryFolder folder;
  LineWriter writer(folder / "log");
  writer.append("abc");
  EXPECT_EQ(writer.size(), 4U);
}

TEST(TruncateFile, RefusesToGrow) {
  const TemporaryFolder folder;
  publish(folder / "a", "12345");
  truncate_file(folder / "a", 2);
  EXPECT_EQ(read_file(folder / "a"), "12");
  EXPECT_THROW(truncate_file(folder / "a", 9), Error);
}

TEST(ReadFile, NamesTheMissingFile) {
  const TemporaryFolder folder;
  try {
    read_file(folder / "missing");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("missing"), std::string::npos);
  }
  EXPECT_EQ(read_file_if_exists(folder / "missing"), std::nullopt);
}

}  // namespace
}  // namespace sweep
