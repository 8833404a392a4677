#pragma once

#include <optional>
#include <string>

#include "sweep/prereg/config.h"

namespace sweep {

/// Why a number or a word is not allowed ("must be at least 1, not 0"); "" when it is.
std::string range_problem(double min, double max, double value);
std::string word_problem(const std::vector<std::string>& choices, const std::string& word);

/// Words for a message about a field: "a number", "a list of words", "one of none, rms_per_head".
template <typename Owner>
std::string expected(const FieldOf<Owner>& field);

/// Why the field may not have this value; "" when it may.
template <typename Owner>
std::string value_problem(const FieldOf<Owner>& field, const Value& value);

/// The JSON value as the field's type; nullopt when it is of another one.
template <typename Owner>
std::optional<Value> value_from_json(const FieldOf<Owner>& field, const Json& json);

/// The value in words, as a person would type it: 3e-4, true, [a.txt, b.txt].
std::string to_text(const Value& value);

}  // namespace sweep
