#include "queue/views.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Progress progress_of(std::size_t finished) {
  Progress progress;
  progress.runs = {4, finished, 1, 0, 3 - finished, 0, 0};
  progress.active = {{"base-s1-00000001", "here", 10, 100, 5000.0, 12.0}};
  progress.left_s = 90;
  return progress;
}

class PlainViewTest : public testing::Test {
 protected:
  PlainViewTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    fd_ = ::open((folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  }
  ~PlainViewTest() override { ::close(fd_); }
  PlainView make(bool quiet) {
    return {fd_, quiet, {[this] { return now_s_; }, [] { return std::time_t{0}; }}};
  }
  std::string written() const { return read_file(folder_ / "out"); }

  TemporaryFolder folder_;
  int fd_;
  double now_s_ = 0;
};

TEST_F(PlainViewTest, WritesALinePerFinishedRunAndAHeartbeatAMinute) {
  PlainView view = make(false);
  for (; now_s_ < 150; now_s_ += 0.5) {
    view.update(progress_of(1));
    if (now_s_ == 70) view.finished("base-s1-00000001", progress_of(2));
  }
  view.message("stopping");
  view.close();
  view.message("nothing after the end");
  EXPECT_EQ(written(),
            "1 of 4 runs finished, 1 running; about 1 min 30 s left (00:01)\n"
            "1 of 4 runs finished, 1 running; about 1 min 30 s left (00:01)\n"
            "[2/4] finished base-s1-00000001\n"
            "1 of 4 runs finished, 1 running; about 1 min 30 s left (00:01)\n"
            "stopping\n");
}

TEST_F(PlainViewTest, QuietlySaysOnlyWhatMatters) {
  PlainView view = make(true);
  now_s_ = 1000;
  view.update(progress_of(1));
  view.finished("base-s1-00000001", progress_of(2));
  view.message("stopping");
  EXPECT_EQ(written(), "stopping\n");
}

/// A terminal of 80 columns to draw on.
class Terminal {
 public:
  Terminal() {
    main_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    ::grantpt(main_);
    ::unlockpt(main_);
    fd_ = ::open(::ptsname(main_), O_RDWR | O_NOCTTY);
    resize(80);
    ::fcntl(main_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    ::close(fd_);
    ::close(main_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) {
    struct winsize size = {24, columns, 0, 0};
    ::ioctl(main_, TIOCSWINSZ, &size);
  }
  bool is_there() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  std::string shown() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(main_, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int main_;
  int fd_;
};

class TerminalViewTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!terminal_.is_there()) {
      GTEST_SKIP() << "no pseudo-terminals on this system (is /dev/pts mounted?)";
    }
  }
  TerminalViewTest() {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
  }
  std::unique_ptr<ProgressView> make(ColorChoice color = ColorChoice::kAuto) {
    ViewOptions options;
    options.fd = terminal_.fd();
    options.title = "demo";
    options.color = color;
    return make_progress_view(options);
  }
  Terminal terminal_;
};

TEST_F(TerminalViewTest, DrawsABlockAndTakesItAway) {
  const auto view = make(ColorChoice::kNever);
  view->update(progress_of(1));
  const std::string drawn = terminal_.shown();
  EXPECT_THAT(drawn, HasSubstr("demo ["));
  EXPECT_THAT(drawn, HasSubstr("base-s1  step 10/100"));
  EXPECT_THAT(drawn, Not(HasSubstr("\x1b")));
  view->close();
  EXPECT_EQ(terminal_.shown(), "\r\x1b[2A\x1b[J");
}

TEST_F(TerminalViewTest, DrawsOverTheOldBlockAtMostFiveTimesASecond) {
  const auto view = make(ColorChoice::kNever);
  view->update(progress_of(1));
  terminal_.shown();
  view->update(progress_of(1));
  EXPECT_EQ(terminal_.shown(), "");
  view->finished("base-s1-00000001", progress_of(2));  // news are shown at once
  view->update(progress_of(2));
  EXPECT_THAT(terminal_.shown(), testing::StartsWith("\r\x1b[2A\x1b[J"));
}

TEST_F(TerminalViewTest, KeepsMessagesAboveTheBlock) {
  const auto view = make(ColorChoice::kNever);
  view->update(progress_of(1));
  view->message("something happened");
  EXPECT_THAT(terminal_.shown(), EndsWith("\x1b[Jsomething happened\r\n"));
}

TEST_F(TerminalViewTest, CountsTheRowsOfLinesThatANarrowerTerminalWrapped) {
  const auto view = make(ColorChoice::kNever);
  view->update(progress_of(1));
  terminal_.shown();
  terminal_.resize(30);
  view->close();
  EXPECT_THAT(terminal_.shown(), Not(HasSubstr("[2A")));
}

TEST_F(TerminalViewTest, NeverShowsALossOrAnOutcome) {
  const auto view = make();
  view->update(progress_of(1));
  view->finished("base-s1-00000001", progress_of(2));
  const std::string shown = terminal_.shown();
  EXPECT_THAT(shown, Not(HasSubstr("loss")));
  EXPECT_THAT(shown, Not(HasSubstr("diverged")));
}

TEST_F(TerminalViewTest, IsOnlyForTerminalsThatCanRedraw) {
  ::setenv("TERM", "dumb", 1);
  const auto view = make();
  view->finished("base-s1-00000001", progress_of(2));
  view->message("stopping");
  EXPECT_EQ(terminal_.shown(), "[2/4] finished base-s1-00000001\r\nstopping\r\n");
}

TEST_F(TerminalViewTest, ColoursByChoiceThenByTerminalAndEnvironment) {
  EXPECT_TRUE(use_color(terminal_.fd(), ColorChoice::kAuto));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(use_color(terminal_.fd(), ColorChoice::kAuto));
  EXPECT_TRUE(use_color(terminal_.fd(), ColorChoice::kAlways));
  ::unsetenv("NO_COLOR");
  EXPECT_FALSE(use_color(terminal_.fd(), ColorChoice::kNever));
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(use_color(terminal_.fd(), ColorChoice::kAuto));
}

}  // namespace
}  // namespace sweep
