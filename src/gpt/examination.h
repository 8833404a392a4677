#pragma once

#include "sweep/base/json.h"

namespace sweep {

/// What `sweep doctor` asks of a trainer: docs/schemas/examination.schema.json has every key. Takes
/// about a second; call `set_up_numerics` before.
Json examine();

}  // namespace sweep
