#pragma once

#include <cstdint>
#include <vector>

#include "sweep/data/corpus.h"

namespace sweep {

/// The same `count` uniform ids below `vocab_size` every time: for fingerprints, probes and
/// benches, which need no text.
std::vector<Token> synthetic_tokens(std::int64_t vocab_size, std::int64_t count);

}  // namespace sweep
