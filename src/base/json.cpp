#include "sweep/base/json.h"

#include <cmath>
#include <limits>

#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

constexpr const char* kNonfinite = "nonfinite";

std::string nonfinite_name(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

Json read_json(const std::filesystem::path& file) {
  try {
    return Json::parse(read_file(file));
  } catch (const Json::parse_error& e) {
    fail(ExitCode::kBadInput, "{}: not valid JSON ({})", file.string(), e.what());
  }
}

std::string to_line(const Json& value) { return value.dump(); }

std::string to_text(const Json& value) { return value.dump(2) + "\n"; }

void put_number(Json& object, std::string_view key, double value) {
  if (std::isfinite(value)) {
    object[std::string(key)] = value;
    return;
  }
  object[std::string(key)] = nullptr;
  object[kNonfinite][std::string(key)] = nonfinite_name(value);
}

double get_number(const Json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  if (found == object.end()) fail(ExitCode::kBadInput, "no number '{}' in {}", key, object.dump());
  if (found->is_number()) return found->get<double>();
  const auto flags = object.find(kNonfinite);
  const bool flagged =
      found->is_null() && flags != object.end() && flags->contains(std::string(key));
  if (!flagged) fail(ExitCode::kBadInput, "'{}' is not a number in {}", key, object.dump());
  const std::string name = flags->at(std::string(key)).get<std::string>();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return name == "inf" ? std::numeric_limits<double>::infinity()
                       : -std::numeric_limits<double>::infinity();
}

}  // namespace sweep
