#include "queue/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kHashDigits = 8;
constexpr std::size_t kLongestBar = 24;
constexpr std::size_t kShortestBar = 6;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string format_speed(double tokens_per_s) {
  if (tokens_per_s >= 999.5e3) return fmt::format("{:.2f}M tok/s", tokens_per_s / 1e6);
  if (tokens_per_s >= 999.5) return fmt::format("{:.1f}k tok/s", tokens_per_s / 1e3);
  return fmt::format("{:.0f} tok/s", tokens_per_s);
}

/// "14:32", "Tue 14:32", "2026-08-12 14:32": as much as is needed to know when.
std::string format_clock(std::time_t then, std::time_t now) {
  std::tm t{};
  std::tm today{};
  ::localtime_r(&then, &t);
  ::localtime_r(&now, &today);
  constexpr std::time_t kDay = 24 * 60 * 60;
  const bool same_day = t.tm_yday == today.tm_yday && t.tm_year == today.tm_year;
  const char* const form = same_day                ? "%H:%M"
                           : then - now < 6 * kDay ? "%a %H:%M"
                                                   : "%Y-%m-%d %H:%M";
  char text[32];
  std::strftime(text, sizeof text, form, &t);
  return text;
}

std::string bar(const RunCounts& runs, std::size_t width, bool color) {
  const std::size_t all = std::max<std::size_t>(1, runs.planned);
  const std::size_t done = width * runs.finished / all;
  const std::string filled(done, '#');
  const std::string open(width - done, '.');
  return color ? "[\x1b[32m" + filled + "\x1b[0m" + open + "]" : "[" + filled + open + "]";
}

std::string full_text(const Progress& progress, std::time_t now) {
  const std::string left = describe_time_left(progress, now);
  return describe_counts(progress.runs) + (left.empty() ? "" : "; " + left);
}

std::string short_text(const Progress& progress) {
  const RunCounts& runs = progress.runs;
  std::string text = fmt::format("{}/{}", runs.finished, runs.planned);
  if (runs.failed > 0) text += fmt::format(", {} failed", runs.failed);
  if (progress.left_s) text += "; " + format_duration(*progress.left_s) + " left";
  return text;
}

/// Title, bar, counts and time left; on a narrow terminal in fewer words, then without the bar.
std::string head_line(const Progress& progress, const BlockStyle& style, std::time_t now) {
  const std::string title = style.title.empty() ? "" : style.title + " ";
  for (const auto& text : {full_text(progress, now), short_text(progress)}) {
    const std::size_t taken = display_width(title) + display_width(text) + 3;
    if (style.columns < taken + kShortestBar) continue;
    const std::size_t width = std::min(style.columns - taken, kLongestBar);
    return title + bar(progress.runs, width, style.color) + " " + text;
  }
  return cut(title + short_text(progress), style.columns);
}

}  // namespace

std::string cut(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (starts_character && seen++ == columns) return std::string(text.substr(0, i));
  }
  return std::string(text);
}

std::string cell_of(std::string_view run_id) {
  const auto dash = run_id.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::string(run_id);
  const auto hash = run_id.substr(dash + 1);
  const bool is_hash = hash.size() == kHashDigits && std::all_of(hash.begin(), hash.end(), is_hex);
  return std::string(is_hash ? run_id.substr(0, dash) : run_id);
}

std::string describe_counts(const RunCounts& runs) {
  std::string text = fmt::format("{} of {} finished", runs.finished, count_of(runs.planned, "run"));
  const auto add = [&](std::size_t n, const char* what) {
    if (n > 0) text += fmt::format(", {} {}", n, what);
  };
  add(runs.running, "running");
  add(runs.failed, "failed");
  add(runs.elsewhere, "elsewhere");
  return text;
}

std::string describe_time_left(const Progress& progress, std::time_t now) {
  const RunCounts& runs = progress.runs;
  if (runs.finished + runs.failed >= runs.planned) return "";
  const std::size_t workers = progress.active.size();
  if (!progress.left_s) return workers == 0 ? "" : "estimating the time left";
  if (workers == 0) {
    return fmt::format("about {} of work left for one worker", format_duration(*progress.left_s));
  }
  const auto then = now + static_cast<std::time_t>(*progress.left_s);
  return fmt::format("about {} left ({})", format_duration(*progress.left_s),
                     format_clock(then, now));
}

std::vector<std::string> active_lines(const std::vector<ActiveRun>& active) {
  std::size_t widest_cell = 0;
  std::size_t widest_step = 0;
  std::vector<std::string> steps;
  for (const ActiveRun& run : active) {
    steps.push_back(fmt::format("step {}/{}", run.step, run.max_iters));
    widest_cell = std::max(widest_cell, display_width(cell_of(run.id)));
    widest_step = std::max(widest_step, steps.back().size());
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < active.size(); ++i) {
    const ActiveRun& run = active[i];
    std::string line =
        fmt::format("  {:{}}  {:{}}", cell_of(run.id), widest_cell, steps[i], widest_step);
    if (run.tokens_per_s) line += fmt::format("  {:>12}", format_speed(*run.tokens_per_s));
    if (run.left_s) line += fmt::format("  {} left", format_duration(*run.left_s));
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> progress_block(const Progress& progress, const BlockStyle& style,
                                        std::time_t now) {
  std::vector<std::string> lines = {head_line(progress, style, now)};
  const auto runs = active_lines(progress.active);
  const std::size_t room = style.rows > 3 ? style.rows - 3 : 1;
  for (std::size_t i = 0; i < std::min(room, runs.size()); ++i) {
    lines.push_back(cut(runs[i], style.columns));
  }
  if (runs.size() > room) lines.push_back(fmt::format("  and {} more", runs.size() - room));
  return lines;
}

}  // namespace sweep
