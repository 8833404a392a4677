#pragma once

#include "sweep/prereg/prereg.h"
#include "verb.h"

namespace sweep {

/// What `check` says of a well-formed file beyond its form: a corpus or pilot that is not there
/// yet, every gate, and with --explain the constructed sets of a hypothesis. Throws `Error`
/// (`kBadInput`) when a gate refuses.
void check_admission(const Prereg& prereg, const Arguments& arguments);

void add_explain_option(po::options_description& options);  // --explain

}  // namespace sweep
