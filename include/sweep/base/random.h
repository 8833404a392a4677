#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sweep {

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): a pure
/// function from counter and key to four 32-bit words.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// One stream of random numbers, a pure function of (seed, name, step). Nothing of it needs saving:
/// the same three give the same numbers on every machine. Never `std::*_distribution`, whose
/// results differ between standard libraries.
class RandomStream {
 public:
  /// `name` says what is drawn, e.g. "init/transformer.wte.weight", "batch", "dropout/h.0.mlp".
  RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t step = 0);

  /// Uniform over all 32-bit words.
  std::uint32_t next_u32();
  /// Uniform over [0, n), without bias; n in [1, 2^32].
  std::uint64_t below(std::uint64_t n);
  /// Uniform over [0, 1) with 53 random bits.
  double uniform();
  /// Standard normal by Box-Muller on 53-bit uniforms.
  double normal();

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace sweep
