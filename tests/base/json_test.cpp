#include "sweep/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

TEST(Numbers, NonFiniteOnesKeepTheJsonValidAndReadBack) {
  Json object = Json::object();
  put_number(object, "a", 1.5);
  put_number(object, "b", std::nan(""));
  put_number(object, "c", -std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_line(object), R"({"a":1.5,"b":null,"nonfinite":{"b":"nan","c":"-inf"},"c":null})");
  const Json back = Json::parse(to_line(object));
  EXPECT_EQ(get_number(back, "a"), 1.5);
  EXPECT_TRUE(std::isnan(get_number(back, "b")));
  EXPECT_EQ(get_number(back, "c"), -std::numeric_limits<double>::infinity());
  EXPECT_THROW(get_number(back, "d"), Error);
}

TEST(Numbers, NullWithoutAFlagIsAnError) {
  EXPECT_THROW(get_number(Json::parse(R"({"a":null})"), "a"), Error);
}

TEST(ReadJson, NamesTheFile) {
  const TemporaryFolder folder;
  publish(folder / "broken.json", "{\"a\": ");
  try {
    read_json(folder / "broken.json");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("broken.json"), std::string::npos);
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
  }
}

}  // namespace
}  // namespace sweep
