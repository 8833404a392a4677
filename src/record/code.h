#pragma once

#include "sweep/base/json.h"

namespace sweep {

/// Version, commit and cleanness of the code that writes, as locks and amendments hold them.
Json describe_code();

}  // namespace sweep
