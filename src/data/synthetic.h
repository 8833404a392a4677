#pragma once

#include <cstdint>
#include <string>

namespace sweep {

/// Sentences of a small regular grammar, at least `chars` characters of them, the same on every
/// machine. The pronoun of the second clause agrees with the noun of the first, so that context
/// pays; every other word is drawn evenly.
std::string synthetic_text(std::int64_t chars);

/// Its entropy rate in nats per character: ln(choices) of a sentence over its mean length.
double synthetic_entropy();

}  // namespace sweep
