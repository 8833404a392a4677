#include "prereg/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prereg/values.h"
#include "sweep/base/text.h"

namespace sweep::shape {
namespace {

/// Reports a problem unless it is empty.
void check(std::string problem, const YamlNode& node, const std::string& name, Diagnostics& out) {
  if (!problem.empty()) out.problem(node.place, name, std::move(problem));
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

std::string below(const std::string& name, const std::string& key) {
  return name.empty() ? key : name + "." + key;
}

void refuse_unknown(const YamlNode& node, const std::vector<Key>& keys, const std::string& name,
                    Diagnostics& out) {
  const auto known = names_of(keys);
  for (const YamlEntry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    unknown_key(entry, below(name, entry.key), known, out);
  }
}

Json read_keys(const YamlNode& node, const std::vector<Key>& keys, const std::string& name,
               Diagnostics& out) {
  Json json = Json::object();
  for (const Key& key : keys) {
    const YamlNode* value = node.find(key.name);
    if (value != nullptr) {
      json[key.name] = key.shape(*value, below(name, key.name), out);
    } else if (key.required) {
      out.problem(node.place, name, fmt::format("'{}' is missing", key.name));
    }
  }
  return json;
}

}  // namespace

namespace {

std::string limits_in_words(const std::string& what, double min, double max) {
  if (std::isinf(min) && std::isinf(max)) return what;
  if (std::isinf(max) || max >= 1e15) return fmt::format("{} from {} on", what, format_number(min));
  return fmt::format("{} from {} to {}", what, format_number(min), format_number(max));
}

std::string form_of(const std::vector<Key>& keys) {
  std::vector<std::string> parts;
  for (const Key& key : keys) parts.push_back(fmt::format("{}: {}", key.name, key.shape.form()));
  return "{" + join(parts, ", ") + "}";
}

}  // namespace

Shape number(double min, double max) {
  return {limits_in_words("a number", min, max),
          [=](const YamlNode& node, const std::string& name, Diagnostics& out) -> Json {
            const auto value = read_number(node, name, out);
            if (!value) return nullptr;
            check(range_problem(min, max, *value), node, name, out);
            return *value;
          }};
}

Shape whole(double min, double max) {
  return {limits_in_words("a whole number", min, max),
          [=](const YamlNode& node, const std::string& name, Diagnostics& out) -> Json {
            const auto value = read_whole(node, name, out);
            if (!value) return nullptr;
            check(range_problem(min, max, static_cast<double>(*value)), node, name, out);
            return *value;
          }};
}

Shape flag() {
  return {"true or false", [](const YamlNode& node, const std::string& name, Diagnostics& out) {
            const auto value = read_flag(node, name, out);
            return value ? Json(*value) : Json();
          }};
}

Shape word(std::vector<std::string> choices) {
  std::string form = choices.empty() ? "a word" : join(choices, " or ");
  return {std::move(form),
          [choices = std::move(choices)](const YamlNode& node, const std::string& name,
                                         Diagnostics& out) -> Json {
            const auto value = read_word(node, name, out);
            if (!value) return nullptr;
            check(word_problem(choices, *value), node, name, out);
            return *value;
          }};
}

Shape reference(const std::vector<std::string>& names, const std::string& where) {
  const std::string form = "a name in " + where;
  if (!names.empty()) {
    return {form, [known = word(names)](const YamlNode& node, const std::string& name,
                                        Diagnostics& out) { return known(node, name, out); }};
  }
  return {form, [where](const YamlNode& node, const std::string& name, Diagnostics& out) -> Json {
            out.problem(node.place, name,
                        fmt::format("names something that {} does not have", where));
            return nullptr;
          }};
}

Shape text() {
  return {"a text", [](const YamlNode& node, const std::string& name, Diagnostics& out) {
            const auto value = read_text(node, name, out);
            return value ? Json(*value) : Json();
          }};
}

Shape list(Shape item) {
  std::string form = fmt::format("[{}, ...]", item.form());
  return {std::move(form), [item = std::move(item)](const YamlNode& node, const std::string& name,
                                                    Diagnostics& out) {
            Json json = Json::array();
            if (!expect_list(node, name, out)) return json;
            for (const YamlNode& element : node.items) json.push_back(item(element, name, out));
            return json;
          }};
}

Shape interval() {
  return {"[low, high]", [](const YamlNode& node, const std::string& name, Diagnostics& out) {
            Json json = list(number())(node, name, out);
            if (json.empty() || std::any_of(json.begin(), json.end(),
                                            [](const Json& end) { return !end.is_number(); })) {
              return json;
            }
            if (json.size() != 2 || json[0].get<double>() > json[1].get<double>()) {
              out.problem(node.place, name, "must be two numbers, the smaller one first");
            }
            return json;
          }};
}

Shape map(std::vector<Key> keys) {
  std::string form = form_of(keys);
  const Shape::Reader read = [keys](const YamlNode& node, const std::string& name,
                                    Diagnostics& out) {
    if (!expect_map(node, name, out)) return Json(Json::object());
    refuse_unknown(node, keys, name, out);
    return read_keys(node, keys, name, out);
  };
  return {std::move(form), read, std::move(keys)};
}

Shape map_of(Shape value) {
  std::string form = fmt::format("{{NAME: {}, ...}}", value.form());
  return {std::move(form), [value = std::move(value)](const YamlNode& node, const std::string& name,
                                                      Diagnostics& out) {
            Json json = Json::object();
            if (!expect_map(node, name, out)) return json;
            for (const YamlEntry& entry : node.entries) {
              json[entry.key] = value(entry.value, below(name, entry.key), out);
            }
            return json;
          }};
}

Shape either(Shape scalar, Shape other) {
  std::string form = fmt::format("{}, or {}", scalar.form(), other.form());
  return {std::move(form), [scalar = std::move(scalar), other = std::move(other)](
                               const YamlNode& node, const std::string& name, Diagnostics& out) {
            const bool compound =
                node.kind == YamlNode::Kind::kList || node.kind == YamlNode::Kind::kMap;
            return compound ? other(node, name, out) : scalar(node, name, out);
          }};
}

}  // namespace sweep::shape

namespace sweep {

Shape::Shape(std::string form, Reader read) : Shape(std::move(form), std::move(read), {}) {}

Shape::Shape(std::string form, Reader read, std::vector<Key> keys)
    : form_(std::move(form)),
      read_(std::move(read)),
      keys_(std::make_shared<const std::vector<Key>>(std::move(keys))) {}

}  // namespace sweep
