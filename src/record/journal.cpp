#include "sweep/record/journal.h"

#include <algorithm>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/process.h"
#include "sweep/record/registration.h"
#include "sweep/record/run_record.h"

namespace sweep {

Seen seen_now(const SweepDir& sweep) {
  const auto amendments = read_amendments(sweep);
  Seen seen;
  seen.opened = std::any_of(amendments.begin(), amendments.end(),
                            [](const Amendment& earlier) { return earlier.seen.complete; });
  seen.complete = true;
  for (const RunSpec& spec : amended_plan(read_registered_plan(sweep), amendments)) {
    ++seen.planned;
    if (std::filesystem::exists(sweep.run(spec.id).result())) {
      seen.finished.push_back(spec.id);
    } else if (spec.block != kExploratoryBlock) {
      seen.complete = false;
    }
  }
  seen.peeks = count_events(sweep, kPeekEvent);
  return seen;
}

void add_note(const SweepDir& sweep, const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) {
    fail(ExitCode::kBadInput, "the note is empty");
  }
  append_line(sweep.notes(),
              to_line({{"time", utc_now()}, {"text", text}, {"known", in_words(seen_now(sweep))}}));
}

std::vector<Note> read_notes(const SweepDir& sweep) {
  std::vector<Note> notes;
  for (const std::string& line : read_lines(sweep.notes())) {
    try {
      const Json json = Json::parse(line);
      notes.push_back({json.at("time"), json.at("text"), json.at("known")});
    } catch (const Json::exception& e) {
      fail(ExitCode::kBadInput, "{}:{}: damaged line ({})", sweep.notes().string(),
           notes.size() + 1, e.what());
    }
  }
  return notes;
}

}  // namespace sweep
