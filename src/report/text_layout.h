#pragma once

#include <string>
#include <vector>

#include "sweep/report/table.h"

namespace sweep {

/// `text` filled up with spaces to `width` terminal columns; longer text stays as it is.
std::string padded(const std::string& text, std::size_t width, Align align);

std::string right_trimmed(std::string text);

/// Lines of at most `width` columns, broken at spaces; a longer word stands alone. At least one.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// ASCII for the few other characters that reports use.
std::string to_ascii(std::string text);

/// Columns that say something: those of remarks are left out where nothing is remarked.
std::vector<std::size_t> shown_columns(const Table& table);

/// The column's name with its heading, as it stands where headings cannot: "base loss".
std::string full_title(const Column& column);

}  // namespace sweep
