#include "queue/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "sweep/base/text.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::time_t kNoon = 1785585600;  // 2026-08-01 12:00:00 UTC, a Saturday

Progress half_done() {
  Progress progress;
  progress.runs = {40, 20, 2, 0, 17, 0, 1};
  progress.active = {{"qknorm-L4-lr3e-2-s1-1f3a9c2e", "here", 310, 600, 123456.0, 2.35},
                     {"base-L4-lr3e-2-s1-0a3a9c2e", "here", 5, 600, std::nullopt, std::nullopt}};
  progress.left_s = 190;
  return progress;
}

class Render : public testing::Test {
 protected:
  Render() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

TEST_F(Render, CutsByCharactersNotBytes) {
  EXPECT_EQ(cut("abc", 2), "ab");
  EXPECT_EQ(cut("äöü", 2), "äö");
  EXPECT_EQ(cut("äöü", 3), "äöü");
  EXPECT_EQ(cut("abc", 0), "abc");
}

TEST_F(Render, NamesARunByItsCell) {
  EXPECT_EQ(cell_of("qknorm-L4-lr3e-2-s1-1f3a9c2e"), "qknorm-L4-lr3e-2-s1");
  EXPECT_EQ(cell_of("plain-name"), "plain-name");
  EXPECT_EQ(cell_of("1f3a9c2e"), "1f3a9c2e");
}

TEST_F(Render, CountsOnlyWhatIsThere) {
  EXPECT_EQ(describe_counts({40, 20, 2, 0, 17, 0, 1}),
            "20 of 40 runs finished, 2 running, 1 failed");
  EXPECT_EQ(describe_counts({1, 1, 0, 0, 0, 0, 0}), "1 of 1 run finished");
}

TEST_F(Render, SaysWhenItWillBeDone) {
  Progress progress = half_done();
  EXPECT_EQ(describe_time_left(progress, kNoon), "about 3 min 10 s left (12:03)");
  progress.left_s = 24 * 3600;
  EXPECT_THAT(describe_time_left(progress, kNoon), HasSubstr("(Sun 12:00)"));
  progress.left_s = 30 * 24 * 3600;
  EXPECT_THAT(describe_time_left(progress, kNoon), HasSubstr("(2026-08-31 12:00)"));
}

TEST_F(Render, PromisesNoFinishWhileNobodyWorks) {
  Progress progress = half_done();
  progress.active.clear();
  EXPECT_EQ(describe_time_left(progress, kNoon), "about 3 min 10 s of work left for one worker");
}

TEST_F(Render, AdmitsThatItDoesNotKnowYet) {
  Progress progress = half_done();
  progress.left_s.reset();
  EXPECT_EQ(describe_time_left(progress, kNoon), "estimating the time left");
  progress.runs.finished = 40;
  progress.runs.failed = 0;
  EXPECT_EQ(describe_time_left(progress, kNoon), "");
}

TEST_F(Render, ABlockOnAWideTerminal) {
  EXPECT_THAT(
      progress_block(half_done(), {"demo", 110, 24, false}, kNoon),
      ElementsAre("demo [############............] 20 of 40 runs finished, 2 running, 1 failed; "
                  "about 3 min 10 s left (12:03)",
                  "  qknorm-L4-lr3e-2-s1  step 310/600  123.5k tok/s  2.4 s left",
                  "  base-L4-lr3e-2-s1    step 5/600"));
}

TEST_F(Render, ABlockOnANarrowTerminalSaysItInFewerWords) {
  EXPECT_THAT(progress_block(half_done(), {"demo", 60, 24, false}, kNoon),
              ElementsAre("demo [##########..........] 20/40, 1 failed; 3 min 10 s left",
                          "  qknorm-L4-lr3e-2-s1  step 310/600  123.5k tok/s  2.4 s lef",
                          "  base-L4-lr3e-2-s1    step 5/600"));
  EXPECT_THAT(
      progress_block(half_done(), {"demo", 40, 24, false}, kNoon),
      ElementsAre("demo 20/40, 1 failed; 3 min 10 s left",
                  "  qknorm-L4-lr3e-2-s1  step 310/600  123", "  base-L4-lr3e-2-s1    step 5/600"));
}

TEST_F(Render, NoLineIsWiderThanTheTerminal) {
  for (std::size_t columns = 1; columns < 130; ++columns) {
    for (const auto& line : progress_block(half_done(), {"demo", columns, 24, false}, kNoon)) {
      EXPECT_LE(display_width(line), columns);
    }
  }
}

TEST_F(Render, ABlockIsLowerThanTheTerminal) {
  Progress progress = half_done();
  progress.active.assign(64, progress.active[0]);
  const auto lines = progress_block(progress, {"demo", 80, 10, false}, kNoon);
  EXPECT_LT(lines.size(), 10U);
  EXPECT_EQ(lines.back(), "  and 57 more");
}

TEST_F(Render, ColoursOnlyWhenAllowed) {
  const auto plain = progress_block(half_done(), {"demo", 120, 24, false}, kNoon);
  const auto coloured = progress_block(half_done(), {"demo", 120, 24, true}, kNoon);
  EXPECT_THAT(plain[0], Not(HasSubstr("\x1b")));
  EXPECT_THAT(coloured[0], HasSubstr("\x1b[32m###"));
}

}  // namespace
}  // namespace sweep
