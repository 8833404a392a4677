#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gpt/safetensors.h"
#include "sweep/prereg/config.h"

namespace sweep {

// What both runs of a pair must have in common, as hashes that can be compared afterwards.

/// SHA-256 over those of the initial weights that the model has without QK-norm, too: names, shapes
/// and bytes, as a safetensors file has them.
std::string shared_init_hash(const ModelConfig& model, std::span<const TensorBytes> initial);

/// SHA-256 over the offsets of every window of every update: the batches, in their order.
std::string batches_hash(const Config& config, std::uint64_t seed, std::int64_t train_tokens);

}  // namespace sweep
