#pragma once

#include <string>

#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A message with the sweep's own path taken out of the files it names: what is stored in a sweep
/// must stay true when its folder is moved.
inline std::string without_folder(std::string message, const SweepDir& sweep) {
  const std::string folder = (sweep.path / "").string();
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
    message.erase(at, folder.size());
  }
  return message;
}

}  // namespace sweep
