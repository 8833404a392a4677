#pragma once

#include <string>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {

enum class Align { kLeft, kRight };

struct Column {
  std::string key;    ///< name in CSV and JSON, unique within the table
  std::string title;  ///< what a reader sees
  std::string group;  ///< a heading over neighbouring columns, such as the arm; "" for none
  Align align = Align::kRight;
  bool operator==(const Column&) const = default;
};

/// The same number twice: as it is read, and in full.
struct TableCell {
  std::string text;
  Json value;  ///< null where there is no value
  bool operator==(const TableCell&) const = default;
};

/// The one form in which anything is shown; all printers print this.
struct Table {
  std::string name;  ///< file name without its ending
  std::string title;
  std::string note;   ///< what the numbers are, their unit, n, and what a spread means
  std::string stamp;  ///< "INTERIM: 31 of 40 runs"; "" for a complete sweep
  std::vector<Column> columns;
  std::vector<std::vector<TableCell>> rows;  ///< as many cells as columns
  /// By row, the numbers of the amendments that touched it; empty when none touched the table.
  std::vector<std::vector<int>> amendments;
  bool operator==(const Table&) const = default;
};

struct TerminalOptions {
  std::size_t width = 100;  ///< columns
  bool utf8 = true;
};

/// Aligned text with a final newline. A table that is too wide wraps its last column of words or
/// is printed in blocks, one per group of columns, each with the columns that have no group.
std::string to_terminal(const Table& table, const TerminalOptions& options);

/// A heading, the note and a GitHub table.
std::string to_markdown(const Table& table);

/// Full precision, quoted as RFC 4180 has it; lists are joined by spaces, a lone null is empty.
/// Amendments and a stamp become last columns of these names.
std::string to_csv(const Table& table);

/// {"name", "title", "note", "stamp"?, "columns": [...], "rows": [{key: value, ...}]}; a row that
/// amendments touched has their numbers as "amendments".
Json to_json(const Table& table);

}  // namespace sweep
