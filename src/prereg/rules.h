#pragma once

#include <string>
#include <vector>

#include "prereg/diagnostics.h"
#include "prereg/shape.h"
#include "prereg/yaml.h"
#include "sweep/prereg/prereg.h"

namespace sweep {

/// Names of one file that its rules may use.
struct Names {
  std::vector<std::string> arms;
  std::vector<std::string> lines;  ///< of the grid
  std::vector<std::string> ranges;
  std::vector<std::string> hypotheses;
  std::size_t seeds = 0;
  std::string axis;
  std::vector<std::string> definitions;  ///< of those without a default, the ones that are there
};

/// Reads `definitions` over the defaults that stand in `definitions`.
void read_definitions(const YamlNode& node, const Names& names, Definitions& definitions,
                      Diagnostics& out);

/// The keys of `definitions`, of a comparison in a rule, and of the other parts, with the forms
/// that they read.
std::vector<Key> definition_keys(const Names& names);
Shape criterion_shape(const Names& names);
Shape analysis_shape(const Names& names);
Shape pilot_shape(const Prereg& prereg);
Shape gates_shape();

/// Reads {id: {claim, supported_if, contradicted_if}}: ids in written order, each rule's keys in
/// one order whatever the file's.
Json read_hypotheses(const YamlNode& node, const Names& names, Diagnostics& out);

Json read_analysis(const YamlNode& node, const Names& names, Diagnostics& out);
Json read_pilot(const YamlNode& node, const Prereg& prereg, Diagnostics& out);
/// Reads {override: {gate: reason}}.
Json read_gates(const YamlNode& node, Diagnostics& out);
Json read_robustness(const YamlNode& node, const Prereg& prereg, Diagnostics& out);

}  // namespace sweep
