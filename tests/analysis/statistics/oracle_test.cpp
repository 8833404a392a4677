// Compares the statistics with tests/reference/statistics_oracle.py, which shares no code with
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sweep/analysis/estimates.h"
#include "sweep/analysis/exact_tests.h"
#include "sweep/base/json.h"
#include "sweep/base/version.h"

namespace sweep {
namespace {

Json cases(const char* of) {
  const auto file = std::filesystem::path(source_folder()) / "tests/golden/statistics.json";
  return read_json(file).at(of);
}

void expect_near(double expected, double actual, const Json& one) {
  EXPECT_NEAR(actual, expected, 1e-12 * std::max(1.0, std::abs(expected))) << one.dump();
}

void expect_test(const Json& expected, const ExactTest& actual) {
  expect_near(expected.at("statistic"), actual.statistic, expected);
  expect_near(expected.at("p"), actual.p, expected);
  expect_near(expected.at("minimum_p"), actual.minimum_p, expected);
  EXPECT_EQ(actual.n, expected.at("n").get<std::size_t>()) << expected.dump();
}

Alternative alternative_of(const Json& one) {
  if (one.at("alternative") == "greater") return Alternative::kGreater;
  return one.at("alternative") == "less" ? Alternative::kLess : Alternative::kTwoSided;
}

Trend trend_of(const Json& one) {
  return one.at("trend") == "rising" ? Trend::kRising : Trend::kFalling;
}

TEST(StatisticsOracle, AgreesOnSignFlips) {
  for (const Json& one : cases("sign_flip")) {
    std::vector<PairedDifference> differences;
    std::uint64_t seed = 0;
    for (const Json& values : one.at("seeds")) {
      ++seed;
      for (const double value : values) differences.push_back({seed, value});
    }
    expect_test(one, std::get<ExactTest>(sign_flip(differences, alternative_of(one))));
  }
}

TEST(StatisticsOracle, AgreesOnPermutationTests) {
  for (const Json& one : cases("permutation_test")) {
    const std::vector<double> a = one.at("a");
    const std::vector<double> b = one.at("b");
    expect_test(one, std::get<ExactTest>(permutation_test(a, b, alternative_of(one))));
  }
}

TEST(StatisticsOracle, AgreesOnPagesL) {
  for (const Json& one : cases("page_l")) {
    std::vector<PageBlock> blocks;
    for (const Json& row : one.at("blocks")) {
      PageBlock block{blocks.size() + 1, {}};
      for (const Json& value : row) {
        block.values.push_back(value.is_string() ? std::numeric_limits<double>::infinity()
                                                 : value.get<double>());
      }
      blocks.push_back(block);
    }
    expect_test(one, std::get<PageL>(page_l(blocks, trend_of(one))));
  }
}

TEST(StatisticsOracle, AgreesOnJonckheereTerpstra) {
  for (const Json& one : cases("jonckheere_terpstra")) {
    const std::vector<std::vector<double>> groups = one.at("groups");
    expect_test(one, std::get<ExactTest>(jonckheere_terpstra(groups, trend_of(one))));
  }
}

TEST(StatisticsOracle, AgreesOnTost) {
  for (const Json& one : cases("tost")) {
    const std::vector<double> values = one.at("values");
    const auto result = std::get<Tost>(tost(values, {one.at("low"), one.at("high")}));
    EXPECT_EQ(result.n, one.at("n").get<std::size_t>());
    expect_near(one.at("mean"), result.mean, one);
    expect_near(one.at("sd"), result.sd, one);
    expect_near(one.at("p_low"), result.p_low, one);
    expect_near(one.at("p_high"), result.p_high, one);
    expect_near(one.at("sd_needed_05"), result.sd_needed(0.05), one);
    expect_near(one.at("half_width_95"), t_half_width(result.sd, result.n, 0.95), one);
  }
}

TEST(StatisticsOracle, AgreesOnHolm) {
  for (const Json& one : cases("holm")) {
    const std::vector<double> p = one.at("p");
    const std::vector<double> adjusted = holm(p);
    ASSERT_EQ(adjusted.size(), p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      expect_near(one.at("adjusted").at(i), adjusted[i], one);
    }
  }
}

TEST(StatisticsOracle, AgreesOnFailureBounds) {
  for (const Json& one : cases("failure_upper_bound")) {
    expect_near(one.at("upper_95"), failure_upper_bound(one.at("failures"), one.at("n"), 0.95),
                one);
  }
}

TEST(StatisticsOracle, AgreesOnSlopes) {
  for (const Json& one : cases("threshold_slope")) {
    std::vector<ThresholdInterval> thresholds;
    for (const Json& point : one.at("points")) {
      thresholds.push_back({point.at(0), point.at(1), point.at(2)});
    }
    const auto slope = std::get<SlopeBounds>(threshold_slope(thresholds));
    expect_near(one.at("min"), slope.min.value(), one);
    expect_near(one.at("max"), slope.max.value(), one);
  }
}

}  // namespace
}  // namespace sweep
