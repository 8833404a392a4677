#include "sweep/base/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace sweep {

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(candidate, ignored);
    if (is_file && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace sweep
