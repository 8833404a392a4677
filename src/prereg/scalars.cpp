#include "prereg/scalars.h"

#include <fmt/format.h>

#include <algorithm>

#include "prereg/values.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

using Kind = YamlNode::Kind;

bool is_undecided(const YamlNode& node) {
  if (node.kind == Kind::kList) return node.items.empty();
  if (node.kind != Kind::kScalar) return false;
  return node.text == "?" || node.text == "[ ]" || node.text.rfind("TODO", 0) == 0;
}

std::string shown(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kEmpty:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      return "'" + node.text + "'";
  }
  return "";
}

/// Notes placeholders and empty values and says whether a node of `kind` is left to read.
bool expect(Kind kind, const std::string& wanted, const YamlNode& node, const std::string& name,
            Diagnostics& out) {
  if (is_undecided(node)) {
    out.placeholder(node.place, name);
    return false;
  }
  if (node.kind == kind) return true;
  if (node.kind == Kind::kEmpty) {
    out.problem(node.place, name, "has no value: it must be " + wanted);
  } else {
    out.problem(node.place, name, fmt::format("must be {}, not {}", wanted, shown(node)));
  }
  return false;
}

bool expect_plain(const std::string& wanted, const YamlNode& node, const std::string& name,
                  Diagnostics& out) {
  if (!expect(Kind::kScalar, wanted, node, name, out)) return false;
  if (node.plain) return true;
  out.problem(node.place, name, fmt::format("must be {} without quotes", wanted));
  return false;
}

bool has_space(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; });
}

bool has_leading_zero(const std::string& text) {
  const auto digits = text.substr(text.find_first_not_of("+-") == 1 ? 1 : 0);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

/// Why a text is no number, with what to write instead.
std::string not_a_number(const std::string& wanted, const std::string& text) {
  if (has_space(text)) {
    return fmt::format("must be {}, not '{}': is a comma missing?", wanted, text);
  }
  if (has_leading_zero(text)) {
    return fmt::format("must be {}: '{}' begins with a zero, which some read as octal", wanted,
                       text);
  }
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool nonfinite =
      lower.find("nan") != std::string::npos || lower.find("inf") != std::string::npos;
  if (nonfinite) return fmt::format("must be a finite number, not '{}'", text);
  return fmt::format("must be {}, not '{}'", wanted, text);
}

template <typename T, typename Read>
std::optional<Value> read_list(const YamlNode& node, const std::string& name, Diagnostics& out,
                               Read read) {
  if (!expect_list(node, name, out)) return std::nullopt;
  std::vector<T> values;
  for (const YamlNode& item : node.items) {
    if (auto value = read(item, name, out)) values.push_back(std::move(*value));
  }
  if (values.size() != node.items.size()) return std::nullopt;
  return values;
}

/// A value of the same type as `example`.
std::optional<Value> read_like(const Value& example, const YamlNode& node, const std::string& name,
                               Diagnostics& out) {
  if (std::holds_alternative<bool>(example)) return read_flag(node, name, out);
  if (std::holds_alternative<std::int64_t>(example)) return read_whole(node, name, out);
  if (std::holds_alternative<double>(example)) return read_number(node, name, out);
  if (std::holds_alternative<std::string>(example)) return read_word(node, name, out);
  if (std::holds_alternative<std::vector<std::string>>(example)) {
    return read_list<std::string>(node, name, out, read_word);
  }
  return read_list<std::int64_t>(node, name, out, read_whole);
}

}  // namespace

std::optional<double> read_number(const YamlNode& node, const std::string& name, Diagnostics& out) {
  if (!expect_plain("a number", node, name, out)) return std::nullopt;
  const auto number = parse_number(node.text);
  if (!number) out.problem(node.place, name, not_a_number("a number", node.text));
  return number;
}

std::optional<std::int64_t> read_whole(const YamlNode& node, const std::string& name,
                                       Diagnostics& out) {
  if (!expect_plain("a whole number", node, name, out)) return std::nullopt;
  if (const auto whole = parse_integer(node.text)) return *whole;
  const bool number = parse_number(node.text).has_value();
  out.problem(node.place, name,
              number ? fmt::format("must be a whole number in plain digits, not '{}'", node.text)
                     : not_a_number("a whole number", node.text));
  return std::nullopt;
}

std::optional<bool> read_flag(const YamlNode& node, const std::string& name, Diagnostics& out) {
  if (!expect_plain("true or false", node, name, out)) return std::nullopt;
  if (node.text == "true" || node.text == "on") return true;
  if (node.text == "false" || node.text == "off") return false;
  out.problem(node.place, name,
              fmt::format("must be true or false (on or off will do), not '{}'", node.text));
  return std::nullopt;
}

std::optional<std::string> read_word(const YamlNode& node, const std::string& name,
                                     Diagnostics& out) {
  if (!expect(Kind::kScalar, "a word", node, name, out)) return std::nullopt;
  if (node.plain && has_space(node.text)) {
    out.problem(node.place, name,
                fmt::format("'{}' holds a space: is a comma missing? One name with a space needs "
                            "quotes",
                            node.text));
    return std::nullopt;
  }
  if (node.text.empty()) {
    out.problem(node.place, name, "is an empty word");
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::string> read_text(const YamlNode& node, const std::string& name,
                                     Diagnostics& out) {
  if (!expect(Kind::kScalar, "a text", node, name, out)) return std::nullopt;
  if (!node.text.empty()) return node.text;
  out.problem(node.place, name, "is an empty text");
  return std::nullopt;
}

template <typename Owner>
std::optional<Value> read_value(const FieldOf<Owner>& field, const YamlNode& node,
                                const std::string& name, Diagnostics& out) {
  auto value = read_like(field.get(Owner{}), node, name, out);
  if (!value) return std::nullopt;
  const std::string problem = value_problem(field, *value);
  if (problem.empty()) return value;
  out.problem(node.place, name, problem);
  return std::nullopt;
}

template std::optional<Value> read_value(const Field&, const YamlNode&, const std::string&,
                                         Diagnostics&);
template std::optional<Value> read_value(const ExecutionField&, const YamlNode&, const std::string&,
                                         Diagnostics&);

bool expect_map(const YamlNode& node, const std::string& name, Diagnostics& out) {
  return expect(Kind::kMap, "a map { }", node, name, out);
}

bool expect_list(const YamlNode& node, const std::string& name, Diagnostics& out) {
  return expect(Kind::kList, "a list [ ]", node, name, out);
}

void unknown_key(const YamlEntry& entry, const std::string& name,
                 const std::vector<std::string>& known, Diagnostics& out) {
  const auto near = nearest(entry.key, known);
  out.problem(entry.place, name,
              near ? fmt::format("no such key; did you mean '{}'?", *near)
                   : fmt::format("no such key; known here: {}", join(known, ", ")));
}

}  // namespace sweep
