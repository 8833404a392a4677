#include "sweep/record/sweep_dir.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// The current directory is `folder` for as long as this lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

void make_sweep(const fs::path& folder) {
  fs::create_directory(folder);
  publish(SweepDir{folder}.lock(), "{}");
}

TEST(FindSweep, TakesTheOnlyOneHere) {
  const TemporaryFolder folder;
  const CurrentFolder here(folder.path());
  EXPECT_THROW(find_sweep(""), Error);
  make_sweep(folder / "a.sweep");
  fs::create_directory(folder / "no-sweep");
  EXPECT_EQ(find_sweep("").path, "a.sweep");
}

TEST(FindSweep, ListsSeveralAndAsks) {
  const TemporaryFolder folder;
  const CurrentFolder here(folder.path());
  make_sweep(folder / "b.sweep");
  make_sweep(folder / "a.sweep");
  try {
    find_sweep("");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a.sweep, b.sweep"), std::string::npos);
  }
  EXPECT_EQ(find_sweep("b.sweep").path, "b.sweep");
  EXPECT_THROW(find_sweep("c.sweep"), Error);
}

}  // namespace
}  // namespace sweep
