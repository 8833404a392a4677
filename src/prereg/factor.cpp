#include "prereg/factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::size_t kLongestWord = 24;

std::string safe(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c >= 0x80 || (std::isalnum(c) == 0 && c != '.' && c != '_'); },
      '_');
  return text.substr(0, kLongestWord);
}

std::string joined(const std::vector<std::string>& words) { return safe(join(words, "_")); }

std::string value_words(const Field& field, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return (*flag ? "" : "no") + field.label;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return fmt::format("{}{}", field.label, *whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const bool rate = field.path == kLearningRate;
    return field.label + (rate ? format_lr(*number) : format_number(*number));
  }
  if (const auto* word = std::get_if<std::string>(&value)) return safe(*word);
  if (const auto* words = std::get_if<std::vector<std::string>>(&value)) return joined(*words);
  std::vector<std::string> digits;
  for (const auto whole : std::get<std::vector<std::int64_t>>(value)) {
    digits.push_back(std::to_string(whole));
  }
  return field.label + joined(digits);
}

}  // namespace

Json level_json(const Factor& factor, const std::vector<Value>& level) {
  if (factor.paths.front() == factor.name) return to_json(level.front());
  Json json = Json::object();
  for (std::size_t i = 0; i < level.size(); ++i) json[factor.paths[i]] = to_json(level[i]);
  return json;
}

std::string level_words(const Factor& factor, const std::vector<Value>& level) {
  std::string words;
  for (std::size_t i = 0; i < level.size(); ++i) {
    words += value_words(*find_field(factor.paths[i]), level[i]);
  }
  return words;
}

}  // namespace sweep
