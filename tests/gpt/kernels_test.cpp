#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpt/kernels/attention_kernel.h"
#include "gpt/kernels/instruction_set.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

// As a kernel has them.
constexpr auto kInstructionSet = InstructionSet::kGeneric;
#include "gpt/kernels/lanes.h"
//
#include "gpt/kernels/exponential.h"

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float exponential_of(float x) { return exponential(all_lanes(x))[0]; }

TEST(Exponential, IsWithinTwoUnitsInTheLastPlace) {
  for (float x = 0; x > -87; x -= 0.00731F) {
    const double exact = std::exp(static_cast<double>(x));
    EXPECT_NEAR(exponential_of(x) / exact, 1, 2 * 1.2e-7) << x;
  }
  EXPECT_EQ(exponential_of(0), 1);
}

TEST(Exponential, IsZeroFarBelowAndKeepsNan) {
  EXPECT_EQ(exponential_of(-88), 0);
  EXPECT_EQ(exponential_of(-1e30F), 0);
  EXPECT_EQ(exponential_of(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(exponential_of(kNan)));
}

TEST(Lanes, FoldToTheirSumAndTheirLargest) {
  std::array<float, kLanes<float>> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers.at(i) = static_cast<float>(i * 7 % 16);
  EXPECT_EQ(sum_of<float>(load(numbers.data())), 120);
  EXPECT_EQ(largest_of<float>(load(numbers.data())), 15);
}

/// One head of T rows, q k v behind one another.
class OneHead {
 public:
  OneHead(std::int64_t length, std::int64_t head_size)
      : shape_{1, length, 1, head_size},
        size_(static_cast<std::size_t>(length * head_size)),
        numbers_(3 * size_) {
    RandomStream stream(2, "head");
    for (float& x : numbers_) x = static_cast<float>(stream.normal());
  }

  float& q(std::int64_t i, std::int64_t d) {
    return numbers_.at(static_cast<std::size_t>(i * shape_.head_size + d));
  }
  float& k(std::int64_t i, std::int64_t d) { return q(shape_.length + i, d); }

  std::vector<float> attend() {
    std::vector<float> out(size_);
    std::vector<float> log_sum(static_cast<std::size_t>(shape_.length));
    std::vector<float> workspace(static_cast<std::size_t>(attention_workspace<float>(shape_)),
                                 kNan);
    const float* data = numbers_.data();
    attention_forward<float>(shape_, 0.5F,
                             {heads(data), heads(data + size_), heads(data + 2 * size_)},
                             heads(out.data()), log_sum.data(), {0, 1}, workspace.data());
    return out;
  }

 private:
  template <typename T>
  [[nodiscard]] Heads<T> heads(T* data) const {
    return {data, 0, shape_.head_size, 0};
  }

  AttentionShape shape_;
  std::size_t size_;
  std::vector<float> numbers_;
};

bool is_row_finite(const std::vector<float>& out, std::size_t row, std::size_t head_size) {
  const auto* begin = out.data() + row * head_size;
  return std::all_of(begin, begin + head_size, [](float x) { return std::isfinite(x); });
}

TEST(AttentionKernel, KeepsANanInAQueryToItsRow) {
  for (const std::int64_t length : {1, 5, 16, 40}) {
    OneHead head(length, 4);
    head.q(length / 2, 1) = kNan;
    const std::vector<float> out = head.attend();
    for (std::int64_t i = 0; i < length; ++i) {
      EXPECT_EQ(is_row_finite(out, static_cast<std::size_t>(i), 4), i != length / 2) << i;
    }
  }
}

TEST(AttentionKernel, ShowsANanInAKeyToEveryLaterRow) {
  OneHead head(40, 4);
  head.k(11, 2) = kNan;
  const std::vector<float> out = head.attend();
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(is_row_finite(out, i, 4), i < 11) << i;
}

TEST(AttentionKernel, ShowsAnOverflowOfALogit) {
  for (const float sign : {1.0F, -1.0F}) {
    OneHead head(20, 4);
    for (std::int64_t d = 0; d < 4; ++d) {
      head.q(7, d) = 1e30F;
      for (std::int64_t j = 0; j < 20; ++j) head.k(j, d) = sign * 1e30F;
    }
    EXPECT_FALSE(is_row_finite(head.attend(), 7, 4));
  }
}

}  // namespace
}  // namespace sweep
