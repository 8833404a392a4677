#pragma once

#include <string>

namespace sweep {

/// docs/prereg.md: every key of a pre-registration, from the lists that the reader goes by.
std::string reference_markdown();

}  // namespace sweep
