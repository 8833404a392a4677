#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sweep/base/text.h"
#include "sweep/prereg/lock.h"

namespace sweep {
namespace {

std::string in_words(const Json& value) {
  if (value.is_number()) return format_number(value.get<double>());
  if (value.is_string()) return "'" + value.get<std::string>() + "'";
  if (value.is_null()) return "nothing";
  return value.dump();
}

using Words = std::function<std::string(const Json&)>;

/// Learning rates as they stand in run ids.
Words words_of_line(const std::string& line) {
  if (line != kLearningRate) return in_words;
  return [](const Json& level) { return format_lr(level.get<double>()); };
}

/// Walks two values side by side and writes a sentence for each place where they part.
class Comparison {
 public:
  std::vector<std::string> sentences;

  void compare(const std::string& name, const Json& registered, const Json& other) {
    if (registered == other) return;
    if (registered.is_object() && other.is_object()) {
      compare_maps(name, registered, other);
    } else if (registered.is_array() && other.is_array()) {
      compare_lists(name, registered, other);
    } else {
      sentences.push_back(
          fmt::format("{}: {} became {}", name, in_words(registered), in_words(other)));
    }
  }

  void compare_maps(const std::string& name, const Json& registered, const Json& other) {
    for (const auto& [key, value] : registered.items()) {
      const std::string inner = name.empty() ? key : name + "." + key;
      if (other.contains(key)) {
        compare(inner, value, other.at(key));
      } else {
        sentences.push_back(fmt::format("{}: {} removed", inner, in_words(value)));
      }
    }
    for (const auto& [key, value] : other.items()) {
      if (registered.contains(key)) continue;
      const std::string inner = name.empty() ? key : name + "." + key;
      sentences.push_back(fmt::format("{}: {} added", inner, in_words(value)));
    }
  }

  /// Lists whose order says nothing. `item` is what an element is called: "level", "seed".
  void compare_sets(const std::string& name, const std::string& item, const Json& registered,
                    const Json& other, const Words& words = in_words) {
    const auto missing = [](const Json& value, const Json& list) {
      return std::find(list.begin(), list.end(), value) == list.end();
    };
    for (const Json& value : registered) {
      if (!missing(value, other)) continue;
      sentences.push_back(fmt::format("{}: {} {} removed", name, item, words(value)));
    }
    for (const Json& value : other) {
      if (!missing(value, registered)) continue;
      sentences.push_back(fmt::format("{}: {} {} added", name, item, words(value)));
    }
  }

 private:
  void compare_lists(const std::string& name, const Json& registered, const Json& other) {
    const std::size_t common = std::min(registered.size(), other.size());
    for (std::size_t i = 0; i < common; ++i) {
      compare(fmt::format("{}[{}]", name, i + 1), registered[i], other[i]);
    }
    for (std::size_t i = common; i < registered.size(); ++i) {
      sentences.push_back(fmt::format("{}[{}]: {} removed", name, i + 1, in_words(registered[i])));
    }
    for (std::size_t i = common; i < other.size(); ++i) {
      sentences.push_back(fmt::format("{}[{}]: {} added", name, i + 1, in_words(other[i])));
    }
  }
};

void compare_grids(const Json& registered, const Json& other, Comparison& comparison) {
  for (const auto& [line, levels] : registered.items()) {
    const Json& others = other.contains(line) ? other.at(line) : Json::array();
    comparison.compare_sets("grid " + line, "level", levels, others, words_of_line(line));
  }
  for (const auto& [line, levels] : other.items()) {
    if (registered.contains(line)) continue;
    comparison.compare_sets("grid " + line, "level", Json::array(), levels, words_of_line(line));
  }
}

/// Without the texts that no rule reads.
Json without_words(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& item : json) list.push_back(without_words(item));
    return list;
  }
  if (!json.is_object()) return json;
  Json map = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (key != "claim" && key != "reason") map[key] = without_words(value);
  }
  return map;
}

/// Keys of two maps whose values differ, those of the first map first.
std::vector<std::string> changed_keys(const Json& registered, const Json& other) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : registered.items()) {
    if (!other.contains(key) || other.at(key) != value) keys.push_back(key);
  }
  for (const auto& [key, value] : other.items()) {
    if (!registered.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace

Changes changes_between(const Prereg& registered, const Prereg& other) {
  const Json a = without_words(canonical(registered));
  const Json b = without_words(canonical(other));
  Changes changes;
  for (const std::string& section : changed_keys(a, b)) {
    if (section == "definitions") {
      changes.definitions = changed_keys(a.at(section), b.at(section));
    } else if (section == "hypotheses") {
      changes.hypotheses = changed_keys(a.at(section), b.at(section));
    } else if (section == "analysis" || section == "gates" || section == "pilot") {
      changes.analysis = true;
    } else if (section != "title" && section != "question" && section != "arms_reason") {
      changes.plan = true;
    }
  }
  return changes;
}

std::vector<std::string> differences(const Prereg& registered, const Prereg& other) {
  const Json a = canonical(registered);
  const Json b = canonical(other);
  Comparison comparison;
  for (const auto& [key, value] : a.items()) {
    if (key == "grid") {
      compare_grids(value, b.at(key), comparison);
    } else if (key == "seed") {
      comparison.compare_sets("grid", "seed", value, b.at(key));
    } else if (key == "config") {
      comparison.compare_maps("", value, b.at(key));
    } else {
      comparison.compare(key, value, b.at(key));
    }
  }
  return comparison.sentences;
}

}  // namespace sweep
