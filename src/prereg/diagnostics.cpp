#include "prereg/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Longest part of a line that is shown around a problem.
constexpr std::size_t kShownWidth = 96;

bool earlier(const Problem& a, const Problem& b) {
  return std::tie(a.line, a.column, a.key, a.message) <
         std::tie(b.line, b.column, b.key, b.message);
}

std::vector<Problem> settled(std::vector<Problem> problems, std::string_view text) {
  const auto lines = lines_of(text);
  for (Problem& problem : problems) {
    const auto line = static_cast<std::size_t>(problem.line);
    if (line < 1 || line > lines.size()) continue;
    const auto before = static_cast<std::size_t>(std::max(0, problem.column - 1));
    problem.column = 1 + static_cast<int>(display_width(lines[line - 1].substr(0, before)));
  }
  std::sort(problems.begin(), problems.end(), earlier);
  return problems;
}

/// Byte offset of the character at `column` (from 1).
std::size_t offset_of(std::string_view line, int column) {
  std::size_t offset = 0;
  for (int seen = 1; seen < column && offset < line.size(); ++seen) {
    ++offset;
    while (offset < line.size() && (static_cast<unsigned char>(line[offset]) & 0xC0U) == 0x80U) {
      ++offset;
    }
  }
  return offset;
}

std::string spaced(std::string_view text) {
  std::string shown(text);
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return shown;
}

/// The line and a caret below it; a long line is cut to the part around the caret.
std::string excerpt(std::string_view line, int column) {
  std::size_t at = offset_of(line, column);
  std::string cut;
  if (line.size() > kShownWidth && at > kShownWidth / 2) {
    const std::size_t from = offset_of(line, column - static_cast<int>(kShownWidth / 2));
    line.remove_prefix(from);
    at -= from;
    cut = "... ";
  }
  const std::string before = cut + spaced(line.substr(0, at));
  const std::string shown = before + spaced(line.substr(at, kShownWidth));
  return fmt::format("    {}\n    {}^\n", shown, std::string(display_width(before), ' '));
}

std::string render(const Problem& problem, const std::vector<std::string_view>& lines,
                   const std::string& file) {
  const std::string what =
      problem.key.empty() ? problem.message : problem.key + ": " + problem.message;
  if (problem.line < 1) return fmt::format("{}: {}\n", file, what);
  const std::string head = fmt::format("{}:{}:{}: {}\n", file, problem.line, problem.column, what);
  const auto line = static_cast<std::size_t>(problem.line);
  return line > lines.size() ? head : head + excerpt(lines[line - 1], problem.column);
}

}  // namespace

void Diagnostics::problem(Place place, std::string key, std::string message) {
  problems_.push_back({place.line, place.column, std::move(key), std::move(message)});
}

void Diagnostics::placeholder(Place place, std::string key) {
  placeholders_.push_back({place.line, place.column, std::move(key), "is undecided"});
}

void Diagnostics::take(const Diagnostics& other) {
  problems_.insert(problems_.end(), other.problems_.begin(), other.problems_.end());
  placeholders_.insert(placeholders_.end(), other.placeholders_.begin(), other.placeholders_.end());
}

std::vector<Problem> Diagnostics::problems(std::string_view text) const {
  return settled(problems_, text);
}

Placeholders Diagnostics::placeholders(std::string_view text) const {
  return settled(placeholders_, text);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string render_problems(const std::vector<Problem>& problems, std::string_view text,
                            const std::filesystem::path& file) {
  const auto lines = lines_of(text);
  std::string out;
  for (const Problem& problem : problems) out += render(problem, lines, file.string());
  return out;
}

}  // namespace sweep
