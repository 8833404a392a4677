#pragma once

#include <optional>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// The scatter between seeds that the pilot found, nats; nullopt while there is none to read.
std::optional<double> pilot_sd_of(const Prereg& prereg);

}  // namespace sweep
