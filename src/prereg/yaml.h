#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prereg/diagnostics.h"

namespace sweep {

struct YamlEntry;

/// A value of a YAML text with its place. Only plain YAML: no anchors, aliases, tags, merge keys,
/// nor keys that are not words.
struct YamlNode {
  enum class Kind { kEmpty, kScalar, kList, kMap };
  Kind kind = Kind::kEmpty;
  Place place;
  std::string text;                ///< scalars
  bool plain = false;              ///< scalars: written without quotes
  std::vector<YamlNode> items;     ///< lists
  std::vector<YamlEntry> entries;  ///< maps, in written order, keys distinct

  /// nullptr when there is no such key.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;
  YamlNode value;
};

/// Reads a text with one YAML document. nullopt when it has none or its syntax is broken; duplicate
/// keys and the like are reported and passed over.
std::optional<YamlNode> parse_yaml(const std::string& text, Diagnostics& diagnostics);

}  // namespace sweep
