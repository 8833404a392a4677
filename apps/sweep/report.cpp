#include "sweep/report/report.h"

#include <cstdio>

#include "reporting.h"
#include "sweep/base/error.h"
#include "sweep/record/registration.h"
#include "verb.h"

namespace sweep {
namespace {

/// Whoever looks before the end could stop when it suits: the look is recorded, and reports count
/// such looks.
void record_peek(const SweepDir& sweep, std::size_t finished) {
  log_event(sweep, kPeekEvent, {{"by", "report --interim"}, {"finished", finished}});
}

struct RunCount {
  std::size_t planned = 0;
  std::size_t finished = 0;
};

/// A report is complete without runs that were never in the plan.
RunCount count_planned(const std::vector<RunRecord>& records) {
  RunCount count;
  for (const RunRecord& record : records) {
    if (record.spec.block == kExploratoryBlock) continue;
    ++count.planned;
    if (record.result) ++count.finished;
  }
  return count;
}

int run(const Arguments& arguments) {
  const SweepDir sweep =
      find_sweep(arguments.positional.empty() ? "" : arguments.positional.front());
  const RunCount runs = count_planned(read_records(sweep));
  if (runs.finished < runs.planned) {
    if (!arguments.has("interim")) {
      fail(ExitCode::kIncomplete,
           "{}: {} of {} runs are finished. 'sweep resume' carries on; 'sweep report --interim' "
           "shows what there is, stamps it and records the look",
           sweep.path.string(), runs.finished, runs.planned);
    }
    record_peek(sweep, runs.finished);
  }
  const Report report = make_report(sweep);
  if (arguments.has("json")) {
    fmt::print("{}", to_text(report_json(report)));
  } else {
    show_report(sweep, report);
  }
  return 0;
}

}  // namespace

const Verb& report_verb() {
  static const Verb verb{
      "report",
      "[DIR]",
      "tables and figures by the registered definitions",
      "Prints the tables and writes report/ (Markdown, CSV, JSON, SVG). An incomplete sweep is\n"
      "refused (exit status 4) unless --interim is given; that look is recorded.",
      0,
      1,
      [](po::options_description& options) {
        options.add_options()("interim", "of an incomplete sweep, stamped; leaves a record");
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
