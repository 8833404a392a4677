#include "reporting.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "output.h"
#include "sweep/analysis/pilot.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/say.h"
#include "sweep/record/registration.h"

namespace sweep {
namespace {

/// A folder that cannot be written to (a copy on read-only media) still gets its tables printed.
void write_files(const SweepDir& sweep, const Report& report) {
  try {
    const WrittenReport written = write_report(report, sweep.report());
    if (!written.figures_note.empty()) say(stderr, "{}", written.figures_note);
    say(stderr, "written: {} ({} files)", (sweep.report() / "report.md").string(),
        written.files.size());
  } catch (const std::filesystem::filesystem_error& e) {
    say(stderr, "report/ was not written: {}", e.code().message());
  } catch (const Error& e) {
    if (e.code() == ExitCode::kResources) throw;
    say(stderr, "report/ was not written: {}", e.what());
  }
}

}  // namespace

History history_of(const SweepDir& sweep, const Registration& registration) {
  return {registration.amendments, registration.removed, read_notes(sweep), read_anchors(sweep)};
}

Report make_report(const SweepDir& sweep) {
  const Registration registration = read_registration(sweep);
  const auto records = read_records(sweep);
  const FloorTable floors = floors_of(records, sweep.data());
  const auto pilot = read_pilot(sweep);
  return build_report({registration.prereg, registration.lock, records, floors,
                       count_events(sweep, kPeekEvent), history_of(sweep, registration),
                       read_series(sweep, records),
                       pilot ? pilot_best(*pilot) : std::vector<PilotBest>{}});
}

void show_report(const SweepDir& sweep, const Report& report) {
  write_files(sweep, report);
  print_report(report, terminal_options(), std::cout);
  std::cout.flush();
}

}  // namespace sweep
