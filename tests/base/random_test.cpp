#include "sweep/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace sweep {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known-answer vectors published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, MatchesPublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, IsAFunctionOfSeedNameAndStep) {
  RandomStream a(1, "batch", 7);
  RandomStream same(1, "batch", 7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u32(), same.next_u32());
  std::set<std::uint32_t> firsts;
  firsts.insert(RandomStream(1, "batch", 7).next_u32());
  firsts.insert(RandomStream(2, "batch", 7).next_u32());
  firsts.insert(RandomStream(1, "init", 7).next_u32());
  firsts.insert(RandomStream(1, "batch", 8).next_u32());
  EXPECT_EQ(firsts.size(), 4U);
}

TEST(RandomStream, BelowIsEvenAndInRange) {
  RandomStream stream(3, "test");
  std::array<int, 6> counts{};
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(stream.below(6));
  double chi_squared = 0;
  for (const int n : counts) chi_squared += std::pow(n - kDraws / 6.0, 2) / (kDraws / 6.0);
  EXPECT_LT(chi_squared, 20.5);  // 99.9 % point of 5 degrees of freedom
}

TEST(RandomStream, NormalHasTheRightMoments) {
  RandomStream stream(4, "test");
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
  EXPECT_NEAR(fourth / kDraws, 3, 0.1);
}

TEST(RandomStream, UniformStaysBelowOne) {
  RandomStream stream(5, "test");
  for (int i = 0; i < 10'000; ++i) {
    const double x = stream.uniform();
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
  }
}

}  // namespace
}  // namespace sweep
