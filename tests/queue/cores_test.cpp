#include "queue/cores.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

TEST(Cores, AreHeldByOneWorkerEach) {
  const TemporaryFolder folder;
  const auto first = take_core(folder.path(), {4, 6});
  const auto second = take_core(folder.path(), {4, 6});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->cpu, 4);
  EXPECT_EQ(second->cpu, 6);
  EXPECT_FALSE(take_core(folder.path(), {4, 6}));
}

TEST(Cores, AreFreeAgainAfterwards) {
  const TemporaryFolder folder;
  {
    const auto held = take_core(folder.path(), {0});
  }
  EXPECT_TRUE(take_core(folder.path(), {0}));
}

TEST(Cores, ThatCannotBeLockedAreNoError) {
  const TemporaryFolder folder;
  publish(folder / "file", "");
  EXPECT_FALSE(take_core(folder / "file", {0}));
}

TEST(Cores, AreLockedInTheUsersRuntimeFolder) {
  const TemporaryFolder folder;
  ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  EXPECT_EQ(core_lock_folder(), folder / "sweep-cores");
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(core_lock_folder().filename().string().substr(0, 12), "sweep-cores-");
}

}  // namespace
}  // namespace sweep
