#pragma once

#include <string>
#include <vector>

#include "sweep/report/report.h"

namespace sweep {

/// How the way to a verdict differed from what was registered first, one sentence each: amended
/// rules, definitions or analysis, runs that an amendment added or took out, runs that are missing,
/// gates that the file set aside, other numerics. Empty: as registered.
std::vector<std::string> deviations_of(const Verdict& verdict, const ReportInputs& inputs);

}  // namespace sweep
