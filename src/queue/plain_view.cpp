#include <fmt/format.h>

#include <utility>

#include "queue/render.h"
#include "queue/terminal.h"
#include "queue/views.h"

namespace sweep {
namespace {

constexpr double kHeartbeatSeconds = 60;

}  // namespace

PlainView::PlainView(int fd, bool quiet, Clock clock)
    : fd_(fd), quiet_(quiet), clock_(std::move(clock)) {}

void PlainView::message(const std::string& line) {
  if (!closed_) write_quietly(fd_, line + "\n");
}

void PlainView::finished(const std::string& run, const Progress& progress) {
  if (quiet_) return;
  message(fmt::format("[{}/{}] finished {}", progress.runs.finished, progress.runs.planned, run));
}

void PlainView::update(const Progress& progress) {
  const double now_s = clock_.monotonic_s();
  if (quiet_ || now_s < next_heartbeat_s_) return;
  next_heartbeat_s_ = now_s + kHeartbeatSeconds;
  const std::string left = describe_time_left(progress, clock_.wall());
  message(describe_counts(progress.runs) + (left.empty() ? "" : "; " + left));
}

void PlainView::close() { closed_ = true; }

}  // namespace sweep
