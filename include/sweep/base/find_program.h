#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sweep {

/// The first executable file of that name on $PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace sweep
