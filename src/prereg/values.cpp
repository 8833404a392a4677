#include "prereg/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/base/text.h"

namespace sweep {
namespace {

template <typename T>
bool is(const Value& value) {
  return std::holds_alternative<T>(value);
}

std::string type_name(const Value& value) {
  if (is<bool>(value)) return "true or false";
  if (is<std::int64_t>(value)) return "a whole number";
  if (is<double>(value)) return "a number";
  if (is<std::string>(value)) return "a word";
  if (is<std::vector<std::string>>(value)) return "a list of words";
  return "a list of whole numbers";
}

/// The first problem of any element.
template <typename T, typename Check>
std::string first_problem(const std::vector<T>& list, Check check) {
  for (const T& element : list) {
    if (std::string problem = check(element); !problem.empty()) return problem;
  }
  return "";
}

std::string element_text(const std::string& word) { return word; }
std::string element_text(std::int64_t number) { return fmt::format("{}", number); }

template <typename T>
std::string list_text(const std::vector<T>& list) {
  std::vector<std::string> parts;
  for (const T& element : list) parts.push_back(element_text(element));
  return "[" + join(parts, ", ") + "]";
}

template <typename T>
std::optional<Value> list_from_json(const Json& json, bool (*fits)(const Json&)) {
  if (!json.is_array() || !std::all_of(json.begin(), json.end(), fits)) return std::nullopt;
  return json.get<std::vector<T>>();
}

bool is_word(const Json& json) { return json.is_string(); }
bool is_whole(const Json& json) { return json.is_number_integer(); }

std::optional<Value> typed_like(const Value& example, const Json& json) {
  if (is<bool>(example) && json.is_boolean()) return json.get<bool>();
  if (is<std::int64_t>(example) && is_whole(json)) return json.get<std::int64_t>();
  if (is<double>(example) && json.is_number()) return json.get<double>();
  if (is<std::string>(example) && is_word(json)) return json.get<std::string>();
  if (is<std::vector<std::string>>(example)) return list_from_json<std::string>(json, is_word);
  if (is<std::vector<std::int64_t>>(example)) return list_from_json<std::int64_t>(json, is_whole);
  return std::nullopt;
}

}  // namespace

std::string range_problem(double min, double max, double value) {
  if (value < min) {
    return fmt::format("must be at least {}, not {}", format_number(min), format_number(value));
  }
  if (value > max) {
    return fmt::format("must be at most {}, not {}", format_number(max), format_number(value));
  }
  return "";
}

std::string word_problem(const std::vector<std::string>& choices, const std::string& word) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), word) != choices.end())
    return "";
  const auto near = nearest(word, choices);
  return fmt::format("must be one of {}; '{}' is not{}", join(choices, ", "), word,
                     near ? fmt::format(", did you mean '{}'?", *near) : "");
}

template <typename Owner>
std::string expected(const FieldOf<Owner>& field) {
  const Value example = field.get(Owner{});
  if (is<std::string>(example) && !field.choices.empty()) {
    return "one of " + join(field.choices, ", ");
  }
  return type_name(example);
}

template <typename Owner>
std::string value_problem(const FieldOf<Owner>& field, const Value& value) {
  const auto in_range = [&](double number) { return range_problem(field.min, field.max, number); };
  const auto whole_in_range = [&](std::int64_t n) { return in_range(static_cast<double>(n)); };
  const auto known = [&](const std::string& word) { return word_problem(field.choices, word); };
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return whole_in_range(*whole);
  if (const auto* number = std::get_if<double>(&value)) return in_range(*number);
  if (const auto* word = std::get_if<std::string>(&value)) return known(*word);
  if (const auto* words = std::get_if<std::vector<std::string>>(&value)) {
    return first_problem(*words, known);
  }
  if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) {
    return first_problem(*wholes, whole_in_range);
  }
  return "";
}

template <typename Owner>
std::optional<Value> value_from_json(const FieldOf<Owner>& field, const Json& json) {
  return typed_like(field.get(Owner{}), json);
}

std::string to_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return element_text(*whole);
  if (const auto* number = std::get_if<double>(&value)) return format_number(*number);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* words = std::get_if<std::vector<std::string>>(&value)) return list_text(*words);
  return list_text(std::get<std::vector<std::int64_t>>(value));
}

template std::string expected(const Field&);
template std::string expected(const ExecutionField&);
template std::string value_problem(const Field&, const Value&);
template std::string value_problem(const ExecutionField&, const Value&);
template std::optional<Value> value_from_json(const Field&, const Json&);
template std::optional<Value> value_from_json(const ExecutionField&, const Json&);

}  // namespace sweep
