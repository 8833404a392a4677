#pragma once

#include "sweep/record/registration.h"
#include "sweep/report/report.h"
#include "verb.h"

namespace sweep {

/// Amendments, notes and anchors of a sweep.
History history_of(const SweepDir& sweep, const Registration& registration);

/// A sweep's report, made anew from its files. Reads only.
Report make_report(const SweepDir& sweep);

/// Prints the tables on stdout and writes report/ where the folder can be written to. An incomplete
/// sweep leaves a peek in the audit trail.
void show_report(const SweepDir& sweep, const Report& report);

}  // namespace sweep
