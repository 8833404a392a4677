#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "queue/render.h"
#include "sweep/base/text.h"
#include "sweep/queue/status.h"

namespace sweep {
namespace {

constexpr std::size_t kMostFailures = 10;

std::string owner_line(const SweepStatus& status) {
  if (status.complete()) return "complete: every planned run has its result";
  if (!status.owner) {
    return fmt::format("nobody works on it; carry on with: sweep resume {}", status.name);
  }
  return fmt::format("run by process {} on {} since {}", status.owner->who.pid,
                     status.owner->who.host, status.owner->since);
}

std::vector<std::string> count_lines(const RunCounts& runs) {
  std::vector<std::string> lines;
  const auto add = [&](std::size_t n, const char* name, const char* meaning) {
    if (n > 0) lines.push_back(fmt::format("  {:>5} {:<12} {}", n, name, meaning));
  };
  add(runs.finished, "finished", "");
  add(runs.running, "running", "");
  add(runs.elsewhere, "elsewhere", "a worker on another machine is at it");
  add(runs.waiting, "waiting", "not started yet");
  add(runs.interrupted, "interrupted", "carried on by the next 'sweep resume'");
  add(runs.failed, "failed", "retries used up; the next 'sweep resume' tries again");
  for (auto& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::vector<std::string> failure_lines(const std::vector<FailedRun>& failures) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(kMostFailures, failures.size()); ++i) {
    const FailedRun& run = failures[i];
    lines.push_back(fmt::format("  failed: {} ({} after {})", run.id, run.status,
                                count_of(static_cast<std::size_t>(run.attempts), "attempt")));
  }
  if (failures.size() > kMostFailures) {
    lines.push_back(fmt::format("  and {} more failed", failures.size() - kMostFailures));
  }
  return lines;
}

std::string paint(const std::string& line, bool color) {
  const bool bad = line.starts_with("  failed:");
  return color && bad ? "\x1b[31m" + line + "\x1b[0m" : line;
}

}  // namespace

std::string render_status(const SweepStatus& status, std::size_t columns, bool color,
                          std::time_t now) {
  std::vector<std::string> lines = {
      status.name + ": " + owner_line(status),
      fmt::format("  {}", count_of(status.progress.runs.planned, "planned run"))};
  const auto append = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  append(count_lines(status.progress.runs));
  lines.push_back(fmt::format("  {} of {} complete", status.pairs_complete,
                              count_of(status.pairs_planned, "pair")));
  const std::string left = describe_time_left(status.progress, now);
  if (!left.empty()) lines.push_back("  " + left);
  append(active_lines(status.progress.active));
  append(failure_lines(status.failures));
  std::string text;
  for (const auto& line : lines) text += paint(cut(line, columns), color) + "\n";
  return text;
}

}  // namespace sweep
