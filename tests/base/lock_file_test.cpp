#include "sweep/base/lock_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  EXPECT_FALSE(FileLock::is_held(folder / "claim"));
  {
    const auto first = FileLock::try_acquire(folder / "claim");
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(FileLock::try_acquire(folder / "claim").has_value());
    EXPECT_TRUE(FileLock::is_held(folder / "claim"));
  }
  EXPECT_FALSE(FileLock::is_held(folder / "claim"));
  EXPECT_TRUE(FileLock::try_acquire(folder / "claim").has_value());
}

TEST(FileLock, IsGivenBackByAKilledHolder) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::try_acquire(folder / "claim");
    const char done = lock ? 'y' : 'n';
    if (::write(ready[1], &done, 1) != 1) ::_exit(1);
    ::pause();
  }
  char done = 0;
  ASSERT_EQ(::read(ready[0], &done, 1), 1);
  ASSERT_EQ(done, 'y');
  EXPECT_TRUE(FileLock::is_held(folder / "claim"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(FileLock::is_held(folder / "claim"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FileLock, WriteReplacesTheContent) {
  const TemporaryFolder folder;
  auto lock = FileLock::try_acquire(folder / "claim");
  lock->write("a longer text");
  lock->write("short");
  EXPECT_EQ(read_file(folder / "claim"), "short");
}

}  // namespace
}  // namespace sweep
