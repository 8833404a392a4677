#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {

/// What a machine was found to be.
struct MachineFacts {
  std::optional<Json> trainer;  ///< what `sweep-train --examine` printed; nullopt: it did not start
  std::string trainer_problem;  ///< why
  int cores = 1;
  double load = 0;
  std::optional<std::uint64_t> memory;  ///< bytes available
  std::uint64_t disk = 0;               ///< bytes free where sweeps would lie
  std::string file_system;
  bool gnuplot = true;
  /// "NAME=value" of this process's environment that change how LibTorch computes.
  std::vector<std::string> overrides;
};

/// Green: as it should be. Yellow: sweeps run, slower or less safely than they could. Red: they do
/// not run here.
enum class Light { kGreen, kYellow, kRed };
std::string to_string(Light light);

/// One thing that was looked at.
struct Check {
  std::string name;
  Light light = Light::kGreen;
  std::string found;
  std::string todo;  ///< "" when there is nothing to do
  bool operator==(const Check&) const = default;
};

/// Environment variables that `MachineFacts::overrides` is about.
const std::vector<std::string>& computing_variables();

std::vector<Check> diagnose(const MachineFacts& facts);

}  // namespace sweep
