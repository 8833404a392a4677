#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// The shortest decimal that reads back as exactly `value`, in the form a person would type:
/// 3e-4, 0.05, 1, 1.7e-3, 600. One power of ten below 1e-2 and from 1e6 on, plain between.
/// Non-finite: nan, inf, -inf.
std::string format_number(double value);

/// A learning rate as it stands in run ids and tables: mantissa and exponent below 1 (3e-2).
std::string format_lr(double value);

/// The strict number of a pre-registration: decimal, no leading zeros (010), no hexadecimal, no
/// separators, no surrounding space, finite. nullopt when `text` is anything else.
std::optional<double> parse_number(std::string_view text);

/// The same for integers; a decimal point or an exponent is not one.
std::optional<long long> parse_integer(std::string_view text);

/// The candidate nearest to `word` by edit distance, or nullopt when none is near enough to be
/// meant (more than a third of its letters differ).
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// "1 run", "2 runs".
std::string count_of(std::size_t n, std::string_view noun);

/// 75 -> "1 min 15 s", 7500 -> "2 h 5 min"; below ten seconds one decimal.
std::string format_duration(double seconds);

/// 1234567 -> "1.2 MB" (powers of 1000).
std::string format_bytes(double bytes);

/// Columns that a text takes on a terminal (UTF-8 code points).
std::size_t display_width(std::string_view text);

}  // namespace sweep
