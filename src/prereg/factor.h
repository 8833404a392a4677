#pragma once

#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// A level as it stands in files: the value, or {path: value, ...} of a linked group.
Json level_json(const Factor& factor, const std::vector<Value>& level);

/// A level as it stands in run ids: L4, lr3e-2, cosine, L2d672h14; safe in file names.
std::string level_words(const Factor& factor, const std::vector<Value>& level);

}  // namespace sweep
