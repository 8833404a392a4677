#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sweep {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// SHA-256 of a file's bytes, read in pieces.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace sweep
