#include "prereg/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "prereg/scalars.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr const char* kDevice = "train.device";

/// "train.learning_rate" -> "learning_rate".
std::string bare(const std::string& path) { return path.substr(path.rfind('.') + 1); }

template <typename Owner>
std::vector<std::string> paths_of(std::span<const FieldOf<Owner>> fields) {
  std::vector<std::string> paths;
  for (const FieldOf<Owner>& field : fields) paths.push_back(field.path);
  return paths;
}

/// The field with this last part of its path, or with this label ("lr", also "lrs").
std::optional<std::string> path_of_bare(const std::string& key) {
  for (const Field& field : config_fields()) {
    if (bare(field.path) == key || field.label == key || field.label + "s" == key) {
      return field.path;
    }
  }
  return std::nullopt;
}

template <typename Owner>
const FieldOf<Owner>* field_at(std::span<const FieldOf<Owner>> fields, const std::string& path) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& field) { return field.path == path; });
  return found == fields.end() ? nullptr : &*found;
}

template <typename Owner>
void unknown_in_section(const std::string& section, const YamlEntry& entry,
                        std::span<const FieldOf<Owner>> fields, Diagnostics& out) {
  const std::string name = section + "." + entry.key;
  if (field_at(fields, entry.key) != nullptr) {
    out.problem(entry.place, name, fmt::format("keys stand here without '{}.'", section));
    return;
  }
  if (const auto known = path_of_bare(entry.key)) {
    const bool here = known->rfind(section + ".", 0) == 0;
    out.problem(entry.place, name,
                fmt::format("no such key; did you mean '{}'?", here ? bare(*known) : *known));
    return;
  }
  std::vector<std::string> known;
  for (const FieldOf<Owner>& field : fields) {
    if (field.path.rfind(section + ".", 0) == 0) known.push_back(bare(field.path));
  }
  unknown_key(entry, name, known, out);
}

template <typename Owner>
void read_fields(const std::string& section, const YamlNode& node,
                 std::span<const FieldOf<Owner>> fields, Owner& owner,
                 std::map<std::string, Place>& places, Diagnostics& out) {
  if (!expect_map(node, section, out)) return;
  for (const YamlEntry& entry : node.entries) {
    const std::string path = section + "." + entry.key;
    const FieldOf<Owner>* field = field_at(fields, path);
    if (field == nullptr) {
      unknown_in_section(section, entry, fields, out);
      continue;
    }
    places[path] = entry.place;
    if (const auto value = read_value(*field, entry.value, path, out)) field->set(owner, *value);
  }
}

std::size_t rank(const std::string& path) {
  return static_cast<std::size_t>(find_field(path) - config_fields().data());
}

}  // namespace

std::optional<std::string> meant_path(const std::string& written) {
  if (auto path = path_of_bare(bare(written))) return path;
  const auto paths = paths_of(config_fields());
  if (auto path = nearest(written, paths)) return path;
  std::vector<std::string> keys;
  for (const std::string& path : paths) keys.push_back(bare(path));
  const auto key = nearest(bare(written), keys);
  return key ? path_of_bare(*key) : std::nullopt;
}

const Field* known_field(const YamlEntry& entry, Diagnostics& out) {
  const Field* field = find_field(entry.key);
  if (field != nullptr && field->path == kDevice) {
    out.problem(entry.place, entry.key,
                "all runs of a sweep train on one device, or its rounding would be compared: it is "
                "set under train");
    return nullptr;
  }
  if (field != nullptr) return field;
  const auto meant = meant_path(entry.key);
  out.problem(entry.place, entry.key,
              meant ? fmt::format("no such field; did you mean '{}'?", *meant)
                    : "no such field; fields have names like train.learning_rate");
  return nullptr;
}

void read_section(const std::string& section, const YamlNode& node, Config& config,
                  std::map<std::string, Place>& fixed, Diagnostics& out) {
  read_fields(section, node, config_fields(), config, fixed, out);
}

void read_execution(const YamlNode& node, ExecutionConfig& execution, Diagnostics& out) {
  std::map<std::string, Place> places;
  read_fields("execution", node, execution_fields(), execution, places, out);
}

std::vector<std::pair<std::string, Value>> read_settings(const YamlNode& node,
                                                         std::map<std::string, Place>& places,
                                                         Diagnostics& out) {
  std::vector<std::pair<std::string, Value>> settings;
  for (const YamlEntry& entry : node.entries) {
    const Field* field = known_field(entry, out);
    if (field == nullptr) continue;
    places[entry.key] = entry.place;
    if (auto value = read_value(*field, entry.value, entry.key, out)) {
      settings.emplace_back(entry.key, std::move(*value));
    }
  }
  std::sort(settings.begin(), settings.end(),
            [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  return settings;
}

void check_single_places(const SettingPlaces& places, Diagnostics& out) {
  for (const auto& [path, place] : places.fixed) {
    const auto grid = places.grid.find(path);
    const bool in_every_arm =
        !places.arms.empty() && std::all_of(places.arms.begin(), places.arms.end(),
                                            [&](const auto& arm) { return arm.count(path) != 0; });
    if (grid != places.grid.end()) {
      out.problem(place, path,
                  fmt::format("the grid sets it too (line {}): leave one out", grid->second.line));
    } else if (in_every_arm) {
      out.problem(place, path, "every arm sets it: leave it out here");
    }
  }
  for (const auto& arm : places.arms) {
    for (const auto& [path, place] : arm) {
      const auto grid = places.grid.find(path);
      if (grid == places.grid.end()) continue;
      out.problem(place, path,
                  fmt::format("the grid sets it too (line {}): leave one out", grid->second.line));
    }
  }
}

}  // namespace sweep
