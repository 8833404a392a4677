#pragma once

#include <cstdint>

namespace sweep {

/// Hands out pieces of one array, each beginning on a cache line. Given null it hands out nothing
/// and only counts: the first of two passes over the same plan.
class Cursor {
 public:
  explicit Cursor(float* memory) : memory_(memory) {}

  float* take(std::int64_t count) {
    float* const piece = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (count + kLine - 1) / kLine * kLine;
    return piece;
  }

  [[nodiscard]] std::int64_t used() const { return used_; }

 private:
  static constexpr std::int64_t kLine = 16;  // numbers
  float* memory_;
  std::int64_t used_ = 0;
};

/// `count` zeros in pages of their own, large ones where the system has them. All pages are there
/// from the beginning. Throws `Error` (`kResources`) when there is not so much memory.
class Arena {
 public:
  explicit Arena(std::int64_t count);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] float* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  float* data_;
};

}  // namespace sweep
