#pragma once

#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// A place in the text, both from 1. Columns are bytes here; `parse_prereg` turns them into
/// characters at the end.
struct Place {
  int line = 0;
  int column = 0;
};

/// What a reader of the file has to say, collected so that everything comes out at once.
class Diagnostics {
 public:
  void problem(Place place, std::string key, std::string message);
  /// An undecided place.
  void placeholder(Place place, std::string key);

  /// Nothing was reported, no placeholder either.
  [[nodiscard]] bool empty() const { return problems_.empty() && placeholders_.empty(); }

  /// Adds everything that `other` has.
  void take(const Diagnostics& other);

  /// Sorted by place, columns in characters of `text`.
  [[nodiscard]] std::vector<Problem> problems(std::string_view text) const;
  [[nodiscard]] Placeholders placeholders(std::string_view text) const;

 private:
  std::vector<Problem> problems_;
  Placeholders placeholders_;
};

/// The lines of a text as an editor shows them: without a byte order mark and without line ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace sweep
