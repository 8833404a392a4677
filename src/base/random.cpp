#include "sweep/base/random.h"

#include <cmath>
#include <numbers>

namespace sweep {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
constexpr int kRounds = 10;

/// FNV-1a, so that a stream's key depends on its name only (std::hash differs between libraries).
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); }
std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t p1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(p1) ^ counter[1] ^ key[0], low(p1), high(p0) ^ counter[3] ^ key[1], low(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// The key is the seed; the counter's upper half holds name and step, its lower half counts blocks.
RandomStream::RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t step)
    : key_{low(seed), high(seed)} {
  const std::uint64_t stream = fnv1a(name) ^ (step * 0x9E3779B97F4A7C15ULL);
  counter_ = {0, 0, low(stream), high(stream)};
}

std::uint32_t RandomStream::next_u32() {
  if (used_ == block_.size()) {
    block_ = philox4x32(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  // Lemire's method: multiply, and draw again in the sliver that would be biased.
  for (;;) {
    const std::uint64_t product = std::uint64_t{next_u32()} * n;
    const std::uint64_t threshold = (std::uint64_t{1} << 32U) % n;
    if (low(product) >= threshold) return product >> 32U;
  }
}

double RandomStream::uniform() {
  const std::uint64_t a = next_u32() >> 5U;
  const std::uint64_t b = next_u32() >> 6U;
  return static_cast<double>((a << 26U) | b) * 0x1p-53;
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace sweep
