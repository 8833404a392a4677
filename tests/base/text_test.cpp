#include "sweep/base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sweep {
namespace {

TEST(FormatNumber, IsWhatAPersonWouldType) {
  EXPECT_EQ(format_number(3e-4), "3e-4");
  EXPECT_EQ(format_number(1.7e-3), "1.7e-3");
  EXPECT_EQ(format_number(0.05), "0.05");
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1), "1");
  EXPECT_EQ(format_number(600), "600");
  EXPECT_EQ(format_number(131072), "131072");
  EXPECT_EQ(format_number(-2.5), "-2.5");
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(1e9), "1e9");
  EXPECT_EQ(format_number(std::nan("")), "nan");
  EXPECT_EQ(format_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatLr, AlwaysHasAnExponent) {
  EXPECT_EQ(format_lr(0.03), "3e-2");
  EXPECT_EQ(format_lr(0.1), "1e-1");
  EXPECT_EQ(format_lr(1), "1");
  EXPECT_EQ(format_lr(0), "0");
  EXPECT_EQ(format_lr(0.017), "1.7e-2");
}

TEST(FormatNumber, ReadsBackExactly) {
  for (const double value :
       {0.1, 1.0 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, 5e-324}) {
    EXPECT_EQ(parse_number(format_number(value)), value) << format_number(value);
    EXPECT_EQ(parse_number(format_lr(value)), value) << format_lr(value);
  }
}

TEST(ParseNumber, RefusesWhatIsNotPlainDecimal) {
  for (const char* text : {"010", "0x10", "1_000", " 1", "1 ", "", ".", "1.", "e5", "1e", "nan",
                           "inf", "1,5", "--1", "1e400"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("1E5"), 1e5);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("+2"), 2.0);
}

TEST(ParseInteger, RefusesFractionsAndLeadingZeros) {
  EXPECT_EQ(parse_integer("600"), 600);
  EXPECT_EQ(parse_integer("-3"), -3);
  EXPECT_EQ(parse_integer("0"), 0);
  for (const char* text : {"010", "1.0", "1e3", "", "-", "99999999999999999999"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(Nearest, FindsTyposAndNothingFarther) {
  const std::vector<std::string> names = {"learning_rate", "batch_size", "beta2"};
  EXPECT_EQ(nearest("lerning_rate", names), "learning_rate");
  EXPECT_EQ(nearest("beta3", names), "beta2");
  EXPECT_EQ(nearest("bta2", names), "beta2");
  EXPECT_EQ(nearest("modle", std::vector<std::string>{"model", "mode"}), "model");
  EXPECT_EQ(nearest("zzz", names), std::nullopt);
}

TEST(FormatDuration, ChoosesTheUnit) {
  EXPECT_EQ(format_duration(1.25), "1.2 s");
  EXPECT_EQ(format_duration(75), "1 min 15 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
}

TEST(DisplayWidth, CountsCodePoints) { EXPECT_EQ(display_width("≥ 3e-2"), 6U); }

}  // namespace
}  // namespace sweep
