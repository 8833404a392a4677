#include <cstdio>

#include "sweep/base/say.h"
#include "sweep/record/journal.h"
#include "verb.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  const bool named = arguments.positional.size() > 1;
  const SweepDir sweep = find_sweep(named ? arguments.positional.front() : "");
  add_note(sweep, arguments.positional.back());
  say(stderr, "noted in {}", sweep.notes().string());
  return 0;
}

}  // namespace

const Verb& note_verb() {
  static const Verb verb{
      "note",
      "[DIR] TEXT",
      "keep a dated, exploratory remark with the sweep",
      "Stands outside the lock, in notes.jsonl, with what was known of the results at the time;\n"
      "the report has a section of them.",
      1,
      2,
      [](po::options_description&) {},
      &run};
  return verb;
}

}  // namespace sweep
