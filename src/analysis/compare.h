#pragma once

#include "analysis/measured.h"

namespace sweep {

/// A comparison of what is known: true, false, or unknown and why.
struct Compared {
  Truth truth;
  std::string unknown;
  std::string settle;
};

/// Whether `a` lies above `b` (or below it). Equal brackets tie: the grid does not tell.
Compared ordered(const Measured& a, const Measured& b, bool above, const Analysis& analysis);

/// Whether the value lies within the limits, both inclusive.
Compared within(const Measured& value, const Limits& limits);

/// last / first.
Measured ratio(const Measured& last, const Measured& first, const Analysis& analysis);

}  // namespace sweep
