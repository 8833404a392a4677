#pragma once

#include <string>

#include "sweep/prereg/run_spec.h"

namespace sweep {

/// `cell` ("qknorm-L4-lr3e-2"), the seed, and eight digits of the SHA-256 over what decides the
/// run's bits: its config, its seed and the hash of its tokens.
std::string run_id(const std::string& cell, const RunSpec& spec);

}  // namespace sweep
