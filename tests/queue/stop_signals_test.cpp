#include "queue/stop_signals.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace sweep {
namespace {

bool is_readable(int fd) {
  struct pollfd poll_fd = {fd, POLLIN, 0};
  return ::poll(&poll_fd, 1, 0) == 1;
}

TEST(StopSignals, AreTakenInTheirOrder) {
  StopSignals signals;
  EXPECT_FALSE(is_readable(signals.fd()));
  ::raise(SIGINT);
  ::raise(SIGTERM);
  ::raise(SIGHUP);
  EXPECT_TRUE(is_readable(signals.fd()));
  EXPECT_EQ(signals.take(), (std::vector{SIGINT, SIGTERM, SIGHUP}));
  EXPECT_TRUE(signals.take().empty());
}

TEST(StopSignals, IgnoreAClosedPipe) {
  StopSignals signals;
  ::raise(SIGPIPE);
  EXPECT_TRUE(signals.take().empty());
}

TEST(StopSignals, RestoreTheHandlersTheyFound) {
  struct sigaction before{};
  struct sigaction after{};
  ::sigaction(SIGINT, nullptr, &before);
  {
    const StopSignals signals;
  }
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(StopSignals, RespectNohup) {
  ::signal(SIGHUP, SIG_IGN);
  {
    StopSignals signals;
    ::raise(SIGHUP);
    EXPECT_TRUE(signals.take().empty());
  }
  ::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace sweep
