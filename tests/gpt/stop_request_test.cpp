#include "gpt/stop_request.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "sweep/base/error.h"

namespace sweep {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(StopRequest, IsNotThereByItself) { EXPECT_FALSE(StopRequest(-1).reason().has_value()); }

TEST(StopRequest, ComesWithEachOfTheFourSignalsAndStays) {
  const std::pair<int, const char*> signals[] = {
      {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGHUP, "SIGHUP"}, {SIGUSR1, "SIGUSR1"}};
  for (const auto& [number, name] : signals) {
    StopRequest stop(-1);
    ::raise(number);
    EXPECT_EQ(stop.reason(), name);
    EXPECT_EQ(stop.reason(), name);
  }
}

TEST(StopRequest, DoesNotComeWithABrokenPipe) {
  StopRequest stop(-1);
  ::raise(SIGPIPE);
  EXPECT_FALSE(stop.reason().has_value());
}

TEST(StopRequest, ComesWhenTheLifelineEnds) {
  Pipe lifeline;
  StopRequest stop(lifeline.reader());
  EXPECT_FALSE(stop.reason().has_value());
  lifeline.end();
  EXPECT_EQ(stop.reason(), "the orchestrator ended");
  EXPECT_TRUE(stop.reason().has_value());
}

TEST(StopRequest, DoesNotComeWithWordsOnTheLifeline) {
  Pipe lifeline;
  StopRequest stop(lifeline.reader());
  ASSERT_EQ(::write(lifeline.writer(), "x", 1), 1);
  EXPECT_FALSE(stop.reason().has_value());
  EXPECT_FALSE(stop.reason().has_value());
}

TEST(StopRequest, RefusesALifelineThatIsNotOpen) {
  Pipe pipe;
  const int closed = ::dup(pipe.reader());
  ::close(closed);
  EXPECT_THROW(StopRequest{closed}, Error);
}

}  // namespace
}  // namespace sweep
