#include "sweep/base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "support/temporary_folder.h"
#include "sweep/base/capture.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

int wait_for(Child& child) {
  for (int i = 0; i < 2000; ++i) {
    if (const auto status = child.poll()) return *status;
    ::usleep(5000);
  }
  ADD_FAILURE() << "the child did not end";
  return -1;
}

SpawnOptions shell(const TemporaryFolder& folder, const std::string& script) {
  return {{"/bin/sh", "-c", script}, folder / "log", {}};
}

TEST(Child, RunsAndReportsItsStatus) {
  const TemporaryFolder folder;
  SpawnOptions options = shell(folder, "echo out; echo $GREETING >&2; exit 75");
  options.environment = {"GREETING=hello"};
  Child child = Child::spawn(options);
  EXPECT_EQ(describe_status(wait_for(child)), "exit 75");
  EXPECT_EQ(read_file(folder / "log"), "out\nhello\n");
}

TEST(Child, SignalReachesItsWholeGroup) {
  const TemporaryFolder folder;
  Child child = Child::spawn(shell(folder, "sleep 100 & wait"));
  child.signal(SIGTERM);
  EXPECT_EQ(describe_status(wait_for(child)).substr(0, 9), "signal 15");
}

TEST(Child, SeesTheLifelineEndWithItsParent) {
  const TemporaryFolder folder;
  // `cat` ends when the write end is closed: by moving the child's owner away here.
  const std::string done = (folder / "done").string();
  {
    const Child child = Child::spawn(shell(folder, "cat <&3; echo ended > " + done));
    EXPECT_FALSE(std::filesystem::exists(done));
  }
  for (int i = 0; i < 1000 && !std::filesystem::exists(done); ++i) ::usleep(5000);
  EXPECT_TRUE(std::filesystem::exists(done));
}

TEST(Child, AMissingProgramIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(Child::spawn({{"/no/such/program"}, folder / "log", {}}), Error);
}

TEST(Capture, ReturnsWhatWasPrintedAndTheStatus) {
  const Captured captured = capture({"/bin/sh", "-c", "echo one; exit 3"});
  EXPECT_EQ(captured.output, "one\n");
  EXPECT_EQ(describe_status(captured.status), "exit 3");
  EXPECT_THROW(capture({"/no/such/program"}), Error);
}

TEST(ProcessIdentity, TellsAReusedPidFromTheOldProcess) {
  ProcessIdentity identity = self_identity();
  EXPECT_TRUE(is_alive(identity));
  ProcessIdentity reused = identity;
  reused.start += "1";
  EXPECT_FALSE(is_alive(reused));
  ProcessIdentity rebooted = identity;
  rebooted.boot_id = "another";
  EXPECT_FALSE(is_alive(rebooted));
}

}  // namespace
}  // namespace sweep
