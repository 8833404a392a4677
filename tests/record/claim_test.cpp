#include "sweep/record/claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/json.h"

namespace sweep {
namespace {

using namespace std::chrono_literals;

std::string claim_of(const ProcessIdentity& who) {
  return to_line(Json{{"host", who.host},
                      {"boot_id", who.boot_id},
                      {"pid", who.pid},
                      {"start", who.start},
                      {"attempt", 1},
                      {"token", "t"},
                      {"since", "2026-01-01T00:00:00Z"}});
}

TEST(Claim, IsHeldUntilItsHolderEnds) {
  const TemporaryFolder folder;
  {
    auto claim = Claim::try_take(folder / "claim.json", 2, "mine");
    ASSERT_TRUE(claim);
    const auto owner = owner_of(folder / "claim.json");
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->who, self_identity());
    EXPECT_EQ(owner->attempt, 2);
    EXPECT_FALSE(Claim::try_take(folder / "claim.json", 3, "other"));
  }
  EXPECT_FALSE(owner_of(folder / "claim.json"));
  EXPECT_TRUE(Claim::try_take(folder / "claim.json", 3, "other"));
}

TEST(Claim, OfAKilledProcessIsFree) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto claim = Claim::try_take(folder / "claim.json", 1, "child");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_NE(read_file(folder / "claim.json").find("child"), std::string::npos);
  EXPECT_FALSE(owner_of(folder / "claim.json"));
  EXPECT_TRUE(Claim::try_take(folder / "claim.json", 2, "next"));
}

TEST(Claim, OfAReusedPidIsFree) {
  const TemporaryFolder folder;
  ProcessIdentity dead = self_identity();
  dead.start = "1";  // this pid, but a process that started at another time
  publish(folder / "claim.json", claim_of(dead));
  EXPECT_FALSE(owner_of(folder / "claim.json"));
}

TEST(Claim, OfALiveProcessHoldsEvenWhereLocksDoNot) {
  const TemporaryFolder folder;
  ProcessIdentity parent = self_identity();
  publish(folder / "claim.json", claim_of(parent));
  int status = 0;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Claim::try_take(folder / "claim.json", 2, "thief") ? 1 : 0);
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Claim, OfAnotherMachineEndsWithItsLease) {
  const TemporaryFolder folder;
  const auto file = folder / "claim.json";
  publish(file, claim_of({"elsewhere", "boot", 1, "1"}));
  ASSERT_TRUE(owner_of(file));
  EXPECT_EQ(owner_of(file)->who.host, "elsewhere");
  EXPECT_FALSE(Claim::try_take(file, 2, "mine"));
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - 301s);
  EXPECT_FALSE(owner_of(file));
  EXPECT_TRUE(Claim::try_take(file, 2, "mine"));
}

TEST(Claim, RenewNoticesThatItWasTakenOver) {
  const TemporaryFolder folder;
  auto claim = Claim::try_take(folder / "claim.json", 1, "mine");
  ASSERT_TRUE(claim);
  claim->renew();
  publish(folder / "claim.json", claim_of({"elsewhere", "boot", 1, "1"}));
  EXPECT_THROW(claim->renew(), Error);
}

TEST(Claim, GivenBackIsFreeForOtherMachinesAtOnce) {
  const TemporaryFolder folder;
  auto claim = Claim::try_take(folder / "claim.json", 1, "mine");
  claim->give_back();
  EXPECT_EQ(read_file(folder / "claim.json"), "");
}

TEST(OwnerOf, ReadsAReadOnlyFolder) {
  const TemporaryFolder folder;
  EXPECT_FALSE(owner_of(folder / "claim.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "claim.json"));
}

}  // namespace
}  // namespace sweep
