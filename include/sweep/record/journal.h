#pragma once

#include <string>
#include <vector>

#include "sweep/record/amendment.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A dated remark of the people who run the sweep, outside the lock: notes.jsonl.
struct Note {
  std::string time;  ///< UTC
  std::string text;
  std::string known;  ///< of results at that time: `in_words(Seen)`
  bool operator==(const Note&) const = default;
};

void add_note(const SweepDir& sweep, const std::string& text);
std::vector<Note> read_notes(const SweepDir& sweep);

/// What can be known of a sweep's results now.
Seen seen_now(const SweepDir& sweep);

}  // namespace sweep
