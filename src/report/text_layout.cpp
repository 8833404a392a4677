#include "report/text_layout.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "sweep/base/text.h"

namespace sweep {

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t own = display_width(text);
  const std::string space(width > own ? width - own : 0, ' ');
  return align == Align::kLeft ? text + space : space + text;
}

std::string right_trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string to_ascii(std::string text) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kReplacements = {
      {{"–", "-"}, {"±", "+-"}, {"≥", ">="}, {"─", "-"}}};
  for (const auto& [from, to] : kReplacements) {
    const std::string before = from;
    const std::string after = to;
    for (auto at = text.find(before); at != std::string::npos;
         at = text.find(before, at + after.size())) {
      text.replace(at, before.size(), after);
    }
  }
  return text;
}

std::vector<std::size_t> shown_columns(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool says_nothing =
        std::all_of(table.rows.begin(), table.rows.end(),
                    [&](const std::vector<TableCell>& row) { return row[i].text.empty(); });
    if (!says_nothing || table.rows.empty()) shown.push_back(i);
  }
  return shown;
}

std::string full_title(const Column& column) {
  return column.group.empty() ? column.title : column.group + " " + column.title;
}

}  // namespace sweep
