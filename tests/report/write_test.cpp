#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "report/report_builder.h"
#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/find_program.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// Sets $PATH for one test.
class PathGuard {
 public:
  explicit PathGuard(const std::string& path) : before_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~PathGuard() { ::setenv("PATH", before_.c_str(), 1); }
  PathGuard(const PathGuard&) = delete;
  PathGuard& operator=(const PathGuard&) = delete;

 private:
  std::string before_;
};

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return files;
}

/// A program called gnuplot in `folder` that does what `script` says.
void make_gnuplot(const fs::path& folder, const std::string& script) {
  publish(folder / "gnuplot", "#!/bin/sh\n" + script + "\n");
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
}

TEST(WriteReport, WritesTheSameNumbersInEveryForm) {
  TemporaryFolder folder;
  const WrittenReport written = write_report(report_on(small_study()), folder.path());
  for (const char* name : {"report.md", "report.json", "tables/final-loss-n_layer-2.csv",
                           "tables/max-stable-lr.csv", "tables/cells.csv", "tables/runs.csv",
                           "figures/loss-n_layer-2.csv", "figures/loss-n_layer-2.gp"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  for (const fs::path& file : written.files) EXPECT_TRUE(fs::exists(file));
  const Json json = read_json(folder / "report.json");
  EXPECT_EQ(json["tables"][0]["rows"][0]["base_loss"], 2.1);
  EXPECT_NE(read_file(folder / "report.md").find("| 1e-3 | 2.100 |"), std::string::npos);
  EXPECT_NE(read_file(folder / "tables/final-loss-n_layer-2.csv").find("\n1e-3,2.1,2 2.2,"),
            std::string::npos);
}

TEST(WriteReport, WritesEqualBytesForEqualInputs) {
  TemporaryFolder first;
  TemporaryFolder second;
  write_report(report_on(small_study()), first.path());
  write_report(report_on(small_study()), second.path());
  EXPECT_EQ(contents(first.path()), contents(second.path()));
}

TEST(WriteReport, NamesNoFolderOfThisMachine) {
  TemporaryFolder folder;
  write_report(report_on(small_study()), folder.path());
  for (const auto& [name, text] : contents(folder.path())) {
    EXPECT_EQ(text.find(folder.path().string()), std::string::npos) << name;
  }
}

TEST(WriteReport, LeavesNoFileOfAnEarlierReport) {
  TemporaryFolder folder;
  fs::create_directories(folder / "figures");
  publish(folder / "figures/loss-n_layer-9.svg", "stale");
  write_report(report_on(small_study()), folder.path());
  EXPECT_FALSE(fs::exists(folder / "figures/loss-n_layer-9.svg"));
}

TEST(WriteReport, NamesTheFolderThatCannotBeWritten) {
  TemporaryFolder folder;
  publish(folder / "report", "a file where the folder should be");
  try {
    write_report(report_on(small_study()), folder / "report");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find((folder / "report").string()), std::string::npos);
  }
}

TEST(WriteReport, StampsEveryFileOfAnIncompleteSweep) {
  StudyBuilder study = small_study();
  study.records()[0].result.reset();
  TemporaryFolder folder;
  write_report(report_on(study), folder.path());
  for (const auto& [name, text] : contents(folder.path())) {
    EXPECT_NE(text.find(name == "report.json" ? "\"complete\": false" : "INTERIM: 11 of 12 runs"),
              std::string::npos)
        << name;
  }
}

TEST(WriteReport, DrawsFiguresWithGnuplot) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  TemporaryFolder folder;
  const WrittenReport written = write_report(report_on(small_study()), folder.path());
  EXPECT_EQ(written.figures_note, "");
  const std::string svg = read_file(folder / "figures/loss-n_layer-2.svg");
  EXPECT_NE(svg.find("<title>Final validation loss against learning rate, n_layer 2</title>"),
            std::string::npos);
  EXPECT_EQ(svg.find("GNUPLOT"), std::string::npos);
  EXPECT_NE(read_file(folder / "report.md").find("](figures/loss-n_layer-2.svg)"),
            std::string::npos);
}

TEST(WriteReport, SaysInOneLineHowToGetFiguresWhenGnuplotIsMissing) {
  TemporaryFolder folder;
  TemporaryFolder empty;
  const PathGuard path(empty.path().string());
  const WrittenReport written = write_report(report_on(small_study()), folder.path());
  EXPECT_NE(written.figures_note.find("apt install gnuplot-nox"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "figures/loss-n_layer-2.svg"));
  const std::string text = read_file(folder / "report.md");
  EXPECT_NE(text.find(written.figures_note), std::string::npos);
  EXPECT_EQ(text.find(".svg"), std::string::npos);
}

TEST(WriteReport, GoesOnWithoutFiguresWhenGnuplotFails) {
  TemporaryFolder folder;
  TemporaryFolder programs;
  for (const char* script : {"exit 3", "echo '<svg>'", "kill -9 $$"}) {
    make_gnuplot(programs.path(), script);
    const PathGuard path(programs.path().string());
    const WrittenReport written = write_report(report_on(small_study()), folder.path());
    EXPECT_NE(written.figures_note.find("gnuplot failed"), std::string::npos) << script;
    EXPECT_TRUE(fs::exists(folder / "report.json"));
  }
}

TEST(FindProgram, TakesTheFirstExecutableFileOnThePath) {
  TemporaryFolder plain;
  TemporaryFolder programs;
  publish(plain / "gnuplot", "not executable");
  make_gnuplot(programs.path(), "exit 0");
  const PathGuard path(plain.path().string() + ":/nowhere:" + programs.path().string());
  EXPECT_EQ(find_program("gnuplot"), programs / "gnuplot");
  EXPECT_EQ(find_program("no-such-program"), std::nullopt);
}

}  // namespace
}  // namespace sweep
