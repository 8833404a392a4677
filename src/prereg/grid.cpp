#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "prereg/levels.h"
#include "prereg/scalars.h"
#include "prereg/settings.h"
#include "prereg/shape.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr const char* kSeed = "seed";

bool is_map(const YamlNode& node) { return node.kind == YamlNode::Kind::kMap; }

/// A list of maps: levels that set several fields at once.
bool is_linked(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kList && !node.items.empty() && is_map(node.items.front());
}

bool is_group_name(const std::string& name) {
  return name != kSeed && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_';
         });
}

void read_seed(const YamlNode& node, std::vector<std::uint64_t>& seeds, Diagnostics& out) {
  const auto seed = read_whole(node, kSeed, out);
  if (!seed) return;
  if (*seed < 0) {
    out.problem(node.place, kSeed, fmt::format("must be at least 0, not {}", *seed));
    return;
  }
  const auto value = static_cast<std::uint64_t>(*seed);
  if (std::find(seeds.begin(), seeds.end(), value) != seeds.end()) {
    out.problem(node.place, kSeed, fmt::format("{} stands here twice", value));
    return;
  }
  seeds.push_back(value);
}

void read_seeds(const YamlNode& node, std::vector<std::uint64_t>& seeds, Diagnostics& out) {
  if (!expect_list(node, kSeed, out)) return;
  for (const YamlNode& item : node.items) read_seed(item, seeds, out);
  std::sort(seeds.begin(), seeds.end());
}

void claim(const std::string& path, Place place, SettingPlaces& places, Diagnostics& out) {
  const auto [other, fresh] = places.grid.emplace(path, place);
  if (fresh) return;
  out.problem(place, path, fmt::format("the grid sets it in line {} too", other->second.line));
}

void read_field_line(const YamlEntry& entry, Prereg& prereg, SettingPlaces& places,
                     Diagnostics& out) {
  const Field* field = known_field(entry, out);
  places.lines.push_back(field != nullptr ? entry.key : meant_path(entry.key).value_or(entry.key));
  if (field == nullptr) return;
  claim(entry.key, entry.place, places, out);
  Factor factor{entry.key, {entry.key}, {}};
  for (Value& value : read_levels(*field, entry.value, out)) {
    factor.levels.push_back({std::move(value)});
  }
  if (!factor.levels.empty()) prereg.grid.push_back(std::move(factor));
}

/// One level of a linked line, once its fields are those of the first level.
void add_linked_level(const YamlNode& item, Factor& factor, std::map<std::string, Place>& places,
                      Diagnostics& out) {
  if (!expect_map(item, factor.name, out)) return;
  Diagnostics found;
  std::vector<std::string> paths;
  std::vector<Value> values;
  for (auto& [path, value] : read_settings(item, places, found)) {
    paths.push_back(path);
    values.push_back(std::move(value));
  }
  out.take(found);
  if (!found.empty()) return;
  if (factor.levels.empty()) factor.paths = paths;
  if (paths != factor.paths) {
    out.problem(item.place, factor.name,
                fmt::format("each level must set the same fields: {}", join(factor.paths, ", ")));
  } else if (std::find(factor.levels.begin(), factor.levels.end(), values) != factor.levels.end()) {
    out.problem(item.place, factor.name, "this level stands here twice");
  } else {
    factor.levels.push_back(std::move(values));
  }
}

void read_linked_line(const YamlEntry& entry, Prereg& prereg, SettingPlaces& places,
                      Diagnostics& out) {
  if (!is_group_name(entry.key)) {
    out.problem(entry.place, entry.key,
                "a group of linked levels needs a name of letters, digits and '_', such as size");
  }
  places.lines.push_back(entry.key);
  Factor factor{entry.key, {}, {}};
  std::map<std::string, Place> set;
  for (const YamlNode& item : entry.value.items) add_linked_level(item, factor, set, out);
  for (const auto& [path, place] : set) claim(path, place, places, out);
  if (!factor.levels.empty()) prereg.grid.push_back(std::move(factor));
}

bool is_number(const Value& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
}

const Factor* factor_named(const Prereg& prereg, const std::string& name) {
  const auto found = std::find_if(prereg.grid.begin(), prereg.grid.end(),
                                  [&](const Factor& factor) { return factor.name == name; });
  return found == prereg.grid.end() ? nullptr : &*found;
}

void check_axis(Place place, const SettingPlaces& places, const Prereg& prereg, Diagnostics& out) {
  const std::string& axis = prereg.roles.axis;
  if (std::find(places.lines.begin(), places.lines.end(), axis) == places.lines.end()) {
    out.problem(
        place, "roles.axis",
        fmt::format("'{}' is no line of the grid: name the one that curves are drawn over", axis));
    return;
  }
  const Factor* factor = factor_named(prereg, axis);
  if (factor == nullptr) return;
  if (factor->paths.size() != 1 || !is_number(factor->levels.front().front())) {
    out.problem(place, "roles.axis", fmt::format("'{}' must be a single field with numbers", axis));
  }
}

/// Reports names that are no lines of the grid, and lines that are left without a role.
void check_strata(const YamlNode& node, const std::vector<std::string>& lines, Diagnostics& out) {
  const Json json = shape::either(shape::word(lines), shape::list(shape::word(lines)))(
      node, "roles.stratum", out);
  const Json list = json.is_array() ? json : Json::array({json});
  for (const std::string& line : lines) {
    if (std::find(list.begin(), list.end(), Json(line)) != list.end()) continue;
    out.problem(node.place, "roles.stratum",
                fmt::format("'{}' of the grid is neither axis nor stratum: list it here", line));
  }
}

std::vector<std::string> without(const std::string& name, std::vector<std::string> names) {
  names.erase(std::remove(names.begin(), names.end(), name), names.end());
  return names;
}

}  // namespace

void read_grid(const YamlNode& node, Prereg& prereg, SettingPlaces& places, Diagnostics& out) {
  if (!expect_map(node, "grid", out)) return;
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == kSeed) {
      read_seeds(entry.value, prereg.seeds, out);
    } else if (is_linked(entry.value)) {
      read_linked_line(entry, prereg, places, out);
    } else {
      read_field_line(entry, prereg, places, out);
    }
  }
  if (node.find(kSeed) == nullptr) {
    out.problem(node.place, "grid", "'seed' is missing: list the replicates, such as seed: [1, 2]");
  }
}

void read_roles(const YamlNode* node, Place grid, const SettingPlaces& places, Prereg& prereg,
                Diagnostics& out) {
  Place axis_place = grid;
  const YamlNode* stratum = nullptr;
  if (node != nullptr && expect_map(*node, "roles", out)) {
    const Shape later{"a line, or a list of lines",
                      [](const YamlNode&, const std::string&, Diagnostics&) { return Json(); }};
    const Json roles =
        shape::map({{"axis", shape::word(), false},
                    {"stratum", later, false},
                    {"replicate", shape::word({kSeed}), false}})(*node, "roles", out);
    stratum = node->find("stratum");
    if (roles.contains("axis") && roles.at("axis").is_string()) {
      prereg.roles.axis = roles.at("axis").get<std::string>();
      axis_place = node->find("axis")->place;
    }
  }
  check_axis(axis_place, places, prereg, out);
  prereg.roles.strata = without(prereg.roles.axis, places.lines);
  if (stratum != nullptr) check_strata(*stratum, prereg.roles.strata, out);
}

}  // namespace sweep
