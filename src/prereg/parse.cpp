#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "prereg/rules.h"
#include "prereg/scalars.h"
#include "prereg/settings.h"
#include "prereg/yaml.h"
#include "prereg/yaml_text.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/text.h"
#include "sweep/prereg/prereg.h"

namespace sweep {
namespace {

const std::vector<std::string> kKeys = {
    "title",      "question", "arms",  "arms_reason", "grid",     "roles",
    "model",      "data",     "train", "measure",     "pilot",    "definitions",
    "hypotheses", "analysis", "gates", "robustness",  "execution"};
const std::vector<std::string> kRequired = {"title", "question", "arms", "grid"};
const std::vector<std::string> kSections = {"model", "data", "train", "measure"};

/// Reads the parts of one file in the order in which they need one another.
class PreregReader {
 public:
  PreregReader(const YamlNode& root, Diagnostics& out) : root_(root), out_(out) {}

  Prereg read() {
    prereg_.definitions = default_definitions();
    check_keys();
    read_texts();
    read_design();
    read_rules();
    with("execution", [&](const YamlNode& node) { read_execution(node, prereg_.execution, out_); });
    return std::move(prereg_);
  }

 private:
  void with(const std::string& key, const std::function<void(const YamlNode&)>& read) {
    if (const YamlNode* node = root_.find(key)) read(*node);
  }

  void check_keys() {
    for (const YamlEntry& entry : root_.entries) {
      if (std::find(kKeys.begin(), kKeys.end(), entry.key) != kKeys.end()) continue;
      unknown_key(entry, entry.key, kKeys, out_);
    }
    for (const std::string& key : kRequired) {
      if (root_.find(key) != nullptr) continue;
      out_.problem(root_.place, key, "is missing: every pre-registration has it");
    }
  }

  void read_texts() {
    const auto into = [&](const std::string& key, std::string& text) {
      with(key, [&](const YamlNode& node) { text = read_text(node, key, out_).value_or(""); });
    };
    into("title", prereg_.title);
    into("question", prereg_.question);
    into("arms_reason", prereg_.arms_reason);
  }

  void read_design() {
    for (const std::string& section : kSections) {
      with(section, [&](const YamlNode& node) {
        read_section(section, node, prereg_.base, places_.fixed, out_);
      });
    }
    Diagnostics in_arms;
    with("arms", [&](const YamlNode& node) { read_arms(node, prereg_, places_, in_arms); });
    with("grid", [&](const YamlNode& node) {
      read_grid(node, prereg_, places_, out_);
      read_roles(root_.find("roles"), node.place, places_, prereg_, out_);
    });
    settle_floor();
    // What differs between arms is known once each of them is right.
    if (in_arms.empty()) {
      with("arms", [&](const YamlNode& node) { check_arms(node, prereg_, out_); });
    }
    out_.take(in_arms);
    check_single_places(places_, out_);
  }

  /// An absolute floor takes the place of the relative one, whose default must not act beside it.
  void settle_floor() {
    const auto set = [&](const std::string& path) {
      return places_.fixed.count(path) != 0 || places_.grid.count(path) != 0;
    };
    if (set("train.min_lr") && !set("train.min_lr_ratio")) prereg_.base.train.min_lr_ratio = 0;
  }

  void read_rules() {
    Names names;
    names.arms = arm_names();
    names.lines = places_.lines;
    names.seeds = prereg_.seeds.size();
    names.axis = prereg_.roles.axis;
    with("definitions", [&](const YamlNode& node) {
      read_definitions(node, names, prereg_.definitions, out_);
      if (const YamlNode* ranges = node.find("ranges")) names.ranges = keys_of(*ranges);
      names.definitions = keys_of(node);
    });
    with("hypotheses", [&](const YamlNode& node) {
      prereg_.hypotheses = read_hypotheses(node, names, out_);
      names.hypotheses = keys_of(node);
    });
    with("analysis",
         [&](const YamlNode& node) { prereg_.analysis = read_analysis(node, names, out_); });
    with("gates", [&](const YamlNode& node) { prereg_.gates = read_gates(node, out_); });
    with("pilot", [&](const YamlNode& node) { prereg_.pilot = read_pilot(node, prereg_, out_); });
    with("robustness",
         [&](const YamlNode& node) { prereg_.robustness = read_robustness(node, prereg_, out_); });
  }

  [[nodiscard]] std::vector<std::string> arm_names() const {
    std::vector<std::string> names;
    for (const Arm& arm : prereg_.arms) names.push_back(arm.name);
    return names;
  }

  static std::vector<std::string> keys_of(const YamlNode& node) {
    std::vector<std::string> keys;
    for (const YamlEntry& entry : node.entries) keys.push_back(entry.key);
    return keys;
  }

  const YamlNode& root_;
  Diagnostics& out_;
  Prereg prereg_;
  SettingPlaces places_;
};

Prereg read_prereg(std::string_view text, Diagnostics& out) {
  const auto clean = checked_text(text, out);
  if (!clean) return {};
  const auto root = parse_yaml(*clean, out);
  if (!root) return {};
  if (root->kind != YamlNode::Kind::kMap) {
    out.problem(root->place, "", "the file must be a map: title: ..., arms: ..., grid: ...");
    return {};
  }
  return PreregReader(*root, out).read();
}

}  // namespace

ParsedPrereg parse_prereg(std::string_view text, const std::filesystem::path& file) {
  Diagnostics out;
  ParsedPrereg parsed;
  parsed.prereg = read_prereg(text, out);
  parsed.prereg.folder = file.parent_path();
  parsed.problems = out.problems(text);
  parsed.placeholders = out.placeholders(text);
  return parsed;
}

Prereg load_prereg(const std::filesystem::path& file, bool allow_placeholders) {
  if (std::filesystem::is_directory(file)) {
    fail(ExitCode::kBadInput, "{}: is a folder; name the pre-registration's YAML file",
         file.string());
  }
  const std::string text = read_file(file);
  ParsedPrereg parsed = parse_prereg(text, file);
  std::vector<Problem> problems = std::move(parsed.problems);
  if (!allow_placeholders) {
    problems.insert(problems.end(), parsed.placeholders.begin(), parsed.placeholders.end());
  }
  if (problems.empty()) return std::move(parsed.prereg);
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  fail(ExitCode::kBadInput, "{}{}", render_problems(problems, text, file),
       count_of(problems.size(), "problem"));
}

}  // namespace sweep
