#pragma once

#include "sweep/record/registration.h"
#include "verb.h"

namespace sweep {

/// What `run` and `resume` have in common: checks that this machine computes with the registered
/// numerics, carries the queue out, and, when the sweep is complete, reports. Returns the exit
/// status. `reason` stands in the audit trail.
int carry_out(const SweepDir& sweep, const Registration& registration, const Arguments& arguments,
              const std::string& reason);

/// What bits depend on here, for the device and the kernel path that are registered.
Json numerics_here(const Registration& registration);

/// `--jobs`: a number from 1 on, or auto (0).
int jobs_of(const Arguments& arguments);

}  // namespace sweep
