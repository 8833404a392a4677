#pragma once

#include <string>
#include <vector>

namespace sweep {

/// What a program printed on stdout, once it has ended.
struct Captured {
  std::string output;
  int status = 0;  ///< as wait(2) gives it
};

/// Runs argv[0] (a path) to its end with stdin empty and stderr inherited. Throws `Error`
/// (`kResources`) when it cannot be started.
Captured capture(const std::vector<std::string>& argv);

}  // namespace sweep
