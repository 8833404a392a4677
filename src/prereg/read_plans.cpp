#include <fmt/format.h>

#include <algorithm>

#include "prereg/rules.h"
#include "prereg/settings.h"
#include "prereg/shape.h"
#include "prereg/values.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

Shape correction(const Names& names) {
  return shape::map(
      {{"method", shape::word({"holm", "none"})},
       {"family", shape::list(shape::reference(names.hypotheses, "hypotheses")), false}});
}

/// The seeds of the sweep as values, and the levels of the lines that set one field.
bool is_level(const Prereg& prereg, const std::string& path, const Value& value) {
  for (const Factor& factor : prereg.grid) {
    if (factor.name != path) continue;
    return std::find(factor.levels.begin(), factor.levels.end(), std::vector<Value>{value}) !=
           factor.levels.end();
  }
  return false;
}

Json read_subset_seeds(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  const std::string name = "robustness.subset.seed";
  return shape::list(
      {"a seed", [&](const YamlNode& item, const std::string& where, Diagnostics& found) -> Json {
         const auto seed = read_whole(item, where, found);
         if (!seed) return {};
         const auto& seeds = prereg.seeds;
         if (std::find(seeds.begin(), seeds.end(), static_cast<std::uint64_t>(*seed)) ==
             seeds.end()) {
           found.problem(item.place, where, fmt::format("{} is no seed of the grid", *seed));
         }
         return *seed;
       }})(node, name, out);
}

Json read_subset_levels(const YamlEntry& entry, const Prereg& prereg, Diagnostics& out) {
  const Field* field = known_field(entry, out);
  if (field == nullptr) return {};
  const std::string name = "robustness.subset." + entry.key;
  return shape::list(
      {"a level", [&](const YamlNode& item, const std::string& where, Diagnostics& found) -> Json {
         const auto value = read_value(*field, item, where, found);
         if (!value) return {};
         if (!is_level(prereg, entry.key, *value)) {
           found.problem(item.place, where,
                         fmt::format("{} is no level of the grid", to_text(*value)));
         }
         return to_json(*value);
       }})(entry.value, name, out);
}

/// Which cells of the grid the block repeats.
Json read_subset(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  Json json = Json::object();
  if (!expect_map(node, "robustness.subset", out)) return json;
  for (const YamlEntry& entry : node.entries) {
    json[entry.key] = entry.key == "seed" ? read_subset_seeds(entry.value, prereg, out)
                                          : read_subset_levels(entry, prereg, out);
  }
  return json;
}

/// Whether arms or grid set this field.
bool is_varied(const Prereg& prereg, const std::string& path) {
  const auto in_arm = [&](const Arm& arm) {
    return std::any_of(arm.settings.begin(), arm.settings.end(),
                       [&](const auto& setting) { return setting.first == path; });
  };
  const auto in_line = [&](const Factor& factor) {
    return std::find(factor.paths.begin(), factor.paths.end(), path) != factor.paths.end();
  };
  return std::any_of(prereg.arms.begin(), prereg.arms.end(), in_arm) ||
         std::any_of(prereg.grid.begin(), prereg.grid.end(), in_line);
}

/// The settings of one variant of the block.
Json read_change(const YamlNode& node, const std::string& name, const Prereg& prereg,
                 Diagnostics& out) {
  Json json = Json::object();
  if (!expect_map(node, name, out)) return json;
  std::map<std::string, Place> places;
  for (const auto& [path, value] : read_settings(node, places, out)) {
    json[path] = to_json(value);
    if (!is_varied(prereg, path)) continue;
    out.problem(places[path], path,
                "is varied by arms or grid already: a robustness block changes what they hold "
                "fixed");
  }
  return json;
}

}  // namespace

Shape analysis_shape(const Names& names) {
  const auto seeds = static_cast<double>(std::max<std::size_t>(names.seeds, 1));
  return shape::map({{"tests", shape::word({"exact"}), false},
                     {"correction", correction(names), false},
                     {"missing_run", shape::word({"undefined"}), false},
                     {"seeds_required", shape::whole(1, seeds), false},
                     {"degraded_profile", shape::list(shape::number(0)), false}});
}

Json read_analysis(const YamlNode& node, const Names& names, Diagnostics& out) {
  return analysis_shape(names)(node, "analysis", out);
}

Shape pilot_shape(const Prereg& prereg) {
  const Shape fresh_seed{
      "a seed that the sweep does not have",
      [&seeds = prereg.seeds](const YamlNode& item, const std::string& name,
                              Diagnostics& found) -> Json {
        const auto seed = read_whole(item, name, found);
        if (!seed) return {};
        if (std::find(seeds.begin(), seeds.end(), static_cast<std::uint64_t>(*seed)) !=
            seeds.end()) {
          found.problem(item.place, name,
                        fmt::format("{} is a seed of this sweep: a pilot must have others", *seed));
        }
        return *seed;
      }};
  return shape::map({{"sweep", shape::word()},
                     {"seeds", shape::list(fresh_seed)},
                     {"decided", shape::list(shape::word()), false}});
}

Json read_pilot(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  return pilot_shape(prereg)(node, "pilot", out);
}

Json read_robustness(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  const Shape subset{"{PATH: [level, ...], ...}",
                     [&](const YamlNode& part, const std::string&, Diagnostics& found) {
                       return read_subset(part, prereg, found);
                     }};
  const Shape change{"{PATH: value, ...}",
                     [&](const YamlNode& part, const std::string& name, Diagnostics& found) {
                       return read_change(part, name, prereg, found);
                     }};
  return shape::map({{"subset", subset}, {"change", shape::list(change)}})(node, "robustness", out);
}

}  // namespace sweep
