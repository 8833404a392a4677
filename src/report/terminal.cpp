#include <fmt/format.h>

#include <algorithm>

#include "report/text_layout.h"
#include "sweep/base/text.h"
#include "sweep/report/table.h"

namespace sweep {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestWords = 24;

/// Indices of columns that are printed side by side.
using Block = std::vector<std::size_t>;

std::size_t width_of(const Table& table, std::size_t column) {
  std::size_t width = display_width(table.columns[column].title);
  for (const auto& row : table.rows) width = std::max(width, display_width(row[column].text));
  return width;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) widths.push_back(width_of(table, i));
  return widths;
}

std::size_t total_width(const Block& block, const std::vector<std::size_t>& widths) {
  std::size_t total = block.empty() ? 0 : kGap * (block.size() - 1);
  for (const std::size_t column : block) total += widths[column];
  return total;
}

/// Runs of neighbouring columns under one heading.
std::vector<Block> groups_of(const Table& table, const Block& columns) {
  std::vector<Block> groups;
  for (const std::size_t column : columns) {
    const bool same =
        !groups.empty() && table.columns[groups.back().back()].group == table.columns[column].group;
    if (!same) groups.emplace_back();
    groups.back().push_back(column);
  }
  return groups;
}

/// As many groups side by side as fit; the leading columns without a heading come with each block.
std::vector<Block> blocks_of(const Table& table, const Block& columns,
                             const std::vector<std::size_t>& widths, std::size_t limit) {
  auto groups = groups_of(table, columns);
  Block keys;
  if (groups.size() > 1 && table.columns[groups[0][0]].group.empty()) {
    keys = groups[0];
    groups.erase(groups.begin());
  }
  std::vector<Block> blocks;
  for (const Block& group : groups) {
    Block wider = blocks.empty() ? keys : blocks.back();
    wider.insert(wider.end(), group.begin(), group.end());
    if (!blocks.empty() && total_width(wider, widths) <= limit) {
      blocks.back() = wider;
      continue;
    }
    blocks.push_back(keys);
    blocks.back().insert(blocks.back().end(), group.begin(), group.end());
  }
  return blocks;
}

/// Narrows a block's last column of words so that the block fits, where that leaves it readable.
void narrow_words(const Table& table, const Block& block, std::vector<std::size_t>& widths,
                  std::size_t limit) {
  const std::size_t last = block.back();
  const std::size_t total = total_width(block, widths);
  if (table.columns[last].align != Align::kLeft || total <= limit) return;
  const std::size_t excess = total - limit;
  if (widths[last] >= excess + kNarrowestWords) widths[last] -= excess;
}

std::string line_of(const Table& table, const Block& block, const std::vector<std::size_t>& widths,
                    const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i > 0) line += std::string(kGap, ' ');
    line += padded(texts[i], widths[block[i]], table.columns[block[i]].align);
  }
  return right_trimmed(line) + "\n";
}

/// The headings over groups of columns; "" when no group is named.
std::string group_line(const Table& table, const Block& block,
                       const std::vector<std::size_t>& widths) {
  std::string line;
  for (const Block& group : groups_of(table, block)) {
    const std::size_t width = total_width(group, widths);
    line += padded(table.columns[group[0]].group, width, Align::kLeft) + std::string(kGap, ' ');
  }
  line = right_trimmed(line);
  return line.empty() ? "" : line + "\n";
}

std::string rule_line(const Block& block, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i > 0) line += std::string(kGap, ' ');
    for (std::size_t n = 0; n < widths[block[i]]; ++n) line += "─";
  }
  return line + "\n";
}

std::string row_lines(const Table& table, const Block& block,
                      const std::vector<std::size_t>& widths, const std::vector<TableCell>& row) {
  const auto words = wrapped(row[block.back()].text, widths[block.back()]);
  std::string lines;
  for (std::size_t n = 0; n < words.size(); ++n) {
    std::vector<std::string> texts;
    for (const std::size_t column : block) texts.push_back(n == 0 ? row[column].text : "");
    texts.back() = words[n];
    lines += line_of(table, block, widths, texts);
  }
  return lines;
}

std::string block_text(const Table& table, const Block& block,
                       const std::vector<std::size_t>& widths) {
  std::vector<std::string> titles;
  for (const std::size_t column : block) titles.push_back(table.columns[column].title);
  std::string text = group_line(table, block, widths);
  const bool headed =
      std::any_of(titles.begin(), titles.end(), [](const std::string& t) { return !t.empty(); });
  if (headed) text += line_of(table, block, widths, titles);
  text += rule_line(block, widths);
  for (const auto& row : table.rows) text += row_lines(table, block, widths, row);
  return text;
}

}  // namespace

std::string to_terminal(const Table& table, const TerminalOptions& options) {
  std::string text = table.title;
  if (!table.stamp.empty()) text += fmt::format("  [{}]", table.stamp);
  text += "\n";
  auto widths = widths_of(table);
  const auto blocks = blocks_of(table, shown_columns(table), widths, options.width);
  for (const Block& block : blocks) {
    if (&block != &blocks.front()) text += "\n";
    narrow_words(table, block, widths, options.width);
    text += block_text(table, block, widths);
  }
  for (const std::string& line : wrapped(table.note, options.width)) {
    if (!line.empty()) text += line + "\n";
  }
  return options.utf8 ? text : to_ascii(text);
}

}  // namespace sweep
