#include "sweep/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace sweep {
namespace {

/// The shortest round-trip digits of |value| and the power of ten of the first one.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal shortest_digits(double value) {
  // fmt's default is the shortest round-trip representation; %e of it gives digits and exponent.
  std::string text = fmt::format("{}", value);
  std::string digits;
  int exponent = 0;
  int scale = 0;
  bool seen_point = false;
  const auto e = text.find('e');
  if (e != std::string::npos) {
    exponent = std::stoi(text.substr(e + 1));
    text.resize(e);
  }
  for (const char c : text) {
    if (c == '.') {
      seen_point = true;
    } else {
      digits += c;
      if (!seen_point) ++scale;
    }
  }
  const auto first = digits.find_first_not_of('0');
  digits.erase(0, first);
  scale -= static_cast<int>(first);
  digits.erase(digits.find_last_not_of('0') + 1);
  return {digits, exponent + scale - 1};
}

std::string with_exponent(const Decimal& d) {
  std::string mantissa = d.digits.substr(0, 1);
  if (d.digits.size() > 1) mantissa += "." + d.digits.substr(1);
  return fmt::format("{}e{}", mantissa, d.exponent);
}

std::string nonfinite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// Digits without a leading zero, "0" itself allowed.
bool plain_digits(std::string_view text) {
  return all_digits(text) && (text.size() == 1 || text[0] != '0');
}

bool is_decimal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const auto e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (!power.empty() && (power[0] == '-' || power[0] == '+')) power.remove_prefix(1);
    if (!all_digits(power)) return false;
    text = text.substr(0, e);
  }
  const auto point = text.find('.');
  if (point == std::string_view::npos) return plain_digits(text);
  const auto whole = text.substr(0, point);
  const auto fraction = text.substr(point + 1);
  return (whole.empty() || plain_digits(whole)) && all_digits(fraction);
}

std::string_view without_plus(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  return text;
}

/// Letters to change, add, leave out, or swap with their neighbour ("modle" is one from "model").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({change, row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

std::string format_number(double value) {
  if (!std::isfinite(value)) return nonfinite(value);
  if (value == 0) return "0";
  const Decimal d = shortest_digits(std::abs(value));
  const std::string sign = value < 0 ? "-" : "";
  if (d.exponent < -2 || d.exponent >= 6) return sign + with_exponent(d);
  return sign + fmt::format("{}", std::abs(value));
}

std::string format_lr(double value) {
  const bool small = std::abs(value) > 0 && std::abs(value) < 1;
  if (!small) return format_number(value);
  return (value < 0 ? "-" : "") + with_exponent(shortest_digits(std::abs(value)));
}

std::optional<double> parse_number(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  text = without_plus(text);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  if (!plain_digits(digits)) return std::nullopt;
  text = without_plus(text);
  long long value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string count_of(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto s = static_cast<long long>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, (s % 3600) / 60);
}

std::string format_bytes(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace sweep
