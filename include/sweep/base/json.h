#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sweep {

/// Objects keep the order in which they were written, so that equal values are equal bytes.
using Json = nlohmann::ordered_json;

/// Reads one JSON value; names the file in the error (`ExitCode::kBadInput`) when it is not one.
Json read_json(const std::filesystem::path& file);

/// The value as one line without a newline. Doubles are printed so that they read back exactly.
std::string to_line(const Json& value);

/// The value over several indented lines, with a final newline.
std::string to_text(const Json& value);

/// A number that may be non-finite, as design 4 asks: `object[key] = null` plus
/// `object["nonfinite"][key] = "nan" | "inf" | "-inf"`; never a bare NaN, never dropped.
void put_number(Json& object, std::string_view key, double value);

/// The inverse of `put_number`; throws `Error` when the key is absent or not a number.
double get_number(const Json& object, std::string_view key);

}  // namespace sweep
