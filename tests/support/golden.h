#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sweep/base/files.h"
#include "sweep/base/json.h"
#include "sweep/base/version.h"

namespace sweep {

/// Compares with tests/golden/NAME. With SWEEP_UPDATE_GOLDEN set the file is written instead, to be
/// read by a person before it is committed.
inline void expect_golden(const std::string& name, const std::string& actual) {
  const auto file = std::filesystem::path(source_folder()) / "tests/golden" / name;
  if (std::getenv("SWEEP_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    publish(file, actual);
  }
  EXPECT_EQ(read_file_if_exists(file).value_or("(no such file)"), actual) << name;
}

/// Equal in everything, numbers to twelve digits: libraries of mathematics differ in the last.
inline void expect_same(const Json& expected, const Json& actual, const std::string& where) {
  if (expected.is_number_float() && actual.is_number()) {
    const double value = expected.get<double>();
    EXPECT_NEAR(value, actual.get<double>(), 1e-12 * (1 + std::abs(value))) << where;
    return;
  }
  if (!expected.is_structured() || expected.type() != actual.type() ||
      expected.size() != actual.size()) {
    EXPECT_EQ(expected, actual) << where;
    return;
  }
  auto other = actual.items().begin();
  for (const auto& [key, value] : expected.items()) {
    EXPECT_EQ(key, other.key()) << where;
    expect_same(value, other.value(), where + "/" + key);
    ++other;
  }
}

/// The same for JSON.
inline void expect_golden(const std::string& name, const Json& actual) {
  const auto file = std::filesystem::path(source_folder()) / "tests/golden" / name;
  if (std::getenv("SWEEP_UPDATE_GOLDEN") != nullptr) publish(file, to_text(actual));
  expect_same(read_json(file), actual, name);
}

}  // namespace sweep
