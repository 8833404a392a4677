#pragma once

#include <optional>
#include <string>

#include "prereg/diagnostics.h"
#include "prereg/yaml.h"
#include "sweep/prereg/config.h"

namespace sweep {

// Each reader takes a value's node and its full name ("train.beta2"). When the node is not of the
// kind wanted it says what was seen and what to write, and returns nullopt; an undecided place
// ("[ ]", TODO, "?") is noted as such.

std::optional<double> read_number(const YamlNode& node, const std::string& name, Diagnostics& out);
std::optional<std::int64_t> read_whole(const YamlNode& node, const std::string& name,
                                       Diagnostics& out);
/// true, false, on or off.
std::optional<bool> read_flag(const YamlNode& node, const std::string& name, Diagnostics& out);
/// One word, with or without quotes; what holds a space needs them.
std::optional<std::string> read_word(const YamlNode& node, const std::string& name,
                                     Diagnostics& out);
/// Any text but an empty one.
std::optional<std::string> read_text(const YamlNode& node, const std::string& name,
                                     Diagnostics& out);

/// A value of the field's type, inside its range.
template <typename Owner>
std::optional<Value> read_value(const FieldOf<Owner>& field, const YamlNode& node,
                                const std::string& name, Diagnostics& out);

/// Whether the node is a map, or a list that is not empty; else reported as above.
bool expect_map(const YamlNode& node, const std::string& name, Diagnostics& out);
bool expect_list(const YamlNode& node, const std::string& name, Diagnostics& out);

/// Reports a key that nobody knows, with the nearest one that is known.
void unknown_key(const YamlEntry& entry, const std::string& name,
                 const std::vector<std::string>& known, Diagnostics& out);

}  // namespace sweep
