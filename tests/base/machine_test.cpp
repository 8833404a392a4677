#include "sweep/base/machine.h"

#include <gmock/gmock.h>

namespace sweep {
namespace {

TEST(Machine, HasCoresMemoryAndDisk) {
  EXPECT_GE(worker_cores(), 1);
  EXPECT_FALSE(usable_cpus().empty());
  EXPECT_GT(available_memory().value_or(1), 0U);
  EXPECT_GT(free_disk("/tmp"), 0U);
  EXPECT_GE(load_average(), 0);
}

#ifdef __linux__
TEST(Machine, KnowsTheFileSystemThatLiesOnTop) {
  EXPECT_EQ(file_system_type("/proc"), "proc");
  EXPECT_EQ(file_system_type("/proc/self"), "proc");
  EXPECT_THAT(file_system_type("/"), testing::Not(testing::AnyOf("proc", "unknown")));
}
#endif

}  // namespace
}  // namespace sweep
