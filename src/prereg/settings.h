#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prereg/diagnostics.h"
#include "prereg/yaml.h"
#include "sweep/prereg/prereg.h"

namespace sweep {

/// Where a file sets which field, for the rules between its parts.
struct SettingPlaces {
  std::map<std::string, Place> fixed;              ///< in the sections
  std::vector<std::map<std::string, Place>> arms;  ///< one for each of `Prereg::arms`
  std::map<std::string, Place> grid;
  std::vector<std::string>
      lines;  ///< names of all lines of the grid, faulty and undecided ones too
};

/// The path that was probably meant: the section left out, or a slip of the hand.
std::optional<std::string> meant_path(const std::string& written);

/// The field of a dotted path in which runs of one sweep may differ; nullptr, reported, when there
/// is none (with the nearest path) or when it is the device: runs share its rounding.
const Field* known_field(const YamlEntry& entry, Diagnostics& out);

/// Reads one of the sections model, data, train and measure into `config`.
void read_section(const std::string& section, const YamlNode& node, Config& config,
                  std::map<std::string, Place>& fixed, Diagnostics& out);
void read_execution(const YamlNode& node, ExecutionConfig& execution, Diagnostics& out);

/// Reads {path: value, ...}: pairs in the order of `config_fields`.
std::vector<std::pair<std::string, Value>> read_settings(const YamlNode& node,
                                                         std::map<std::string, Place>& places,
                                                         Diagnostics& out);

/// Reads `arms` and, with `arms_reason` read, checks how they differ.
void read_arms(const YamlNode& node, Prereg& prereg, SettingPlaces& places, Diagnostics& out);
void check_arms(const YamlNode& node, const Prereg& prereg, Diagnostics& out);

/// Reads `grid`, the seeds among it.
void read_grid(const YamlNode& node, Prereg& prereg, SettingPlaces& places, Diagnostics& out);
/// Reads `roles` (nullptr: the defaults) once the grid, which stands at `grid`, has been read.
void read_roles(const YamlNode* node, Place grid, const SettingPlaces& places, Prereg& prereg,
                Diagnostics& out);

/// Reports fields that are set in two places.
void check_single_places(const SettingPlaces& places, Diagnostics& out);

}  // namespace sweep
