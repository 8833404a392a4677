#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "prereg/scalars.h"
#include "prereg/settings.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kLongestName = 40;

/// Arms' names stand in run ids, that is, in file names.
bool is_name(const std::string& text) {
  return text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_';
         });
}

Value effective(const Arm& arm, const Config& base, const std::string& path) {
  for (const auto& [set, value] : arm.settings) {
    if (set == path) return value;
  }
  return find_field(path)->get(base);
}

std::vector<std::string> paths_of(const std::vector<Arm>& arms) {
  std::vector<std::string> paths;
  for (const Field& field : config_fields()) {
    const bool set = std::any_of(arms.begin(), arms.end(), [&](const Arm& arm) {
      return std::any_of(arm.settings.begin(), arm.settings.end(),
                         [&](const auto& setting) { return setting.first == field.path; });
    });
    if (set) paths.push_back(field.path);
  }
  return paths;
}

/// The fields in which not all arms agree.
std::vector<std::string> differing(const Prereg& prereg) {
  std::vector<std::string> result;
  for (const std::string& path : paths_of(prereg.arms)) {
    const Value first = effective(prereg.arms.front(), prereg.base, path);
    const bool agree = std::all_of(prereg.arms.begin(), prereg.arms.end(), [&](const Arm& arm) {
      return effective(arm, prereg.base, path) == first;
    });
    if (!agree) result.push_back(path);
  }
  return result;
}

bool same(const Arm& a, const Arm& b, const Prereg& prereg) {
  const auto paths = paths_of({a, b});
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return effective(a, prereg.base, path) == effective(b, prereg.base, path);
  });
}

void check_distinct(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  for (std::size_t i = 0; i < prereg.arms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same(prereg.arms[i], prereg.arms[j], prereg)) continue;
      const std::string& name = prereg.arms[i].name;
      out.problem(node.find(name)->place, "arms." + name,
                  fmt::format("is the same as arm {}", prereg.arms[j].name));
    }
  }
}

}  // namespace

void read_arms(const YamlNode& node, Prereg& prereg, SettingPlaces& places, Diagnostics& out) {
  if (!expect_map(node, "arms", out)) return;
  for (const YamlEntry& entry : node.entries) {
    const std::string name = "arms." + entry.key;
    if (!is_name(entry.key)) {
      out.problem(entry.place, name,
                  "an arm's name has letters, digits and '_' only, 40 of them at most");
    }
    std::map<std::string, Place> set;
    if (!expect_map(entry.value, name, out)) continue;
    prereg.arms.push_back({entry.key, read_settings(entry.value, set, out)});
    places.arms.push_back(std::move(set));
  }
  if (node.entries.size() < 2) {
    out.problem(node.place, "arms", "needs two arms at least, the control first");
  }
}

void check_arms(const YamlNode& node, const Prereg& prereg, Diagnostics& out) {
  if (prereg.arms.size() < 2) return;
  check_distinct(node, prereg, out);
  const auto fields = differing(prereg);
  if (fields.size() > 1 && prereg.arms_reason.empty()) {
    out.problem(node.place, "arms",
                fmt::format("differ in more than one field ({}): say why in 'arms_reason'",
                            join(fields, ", ")));
  }
}

}  // namespace sweep
