#include "prereg/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prereg/scalars.h"
#include "prereg/shape.h"
#include "prereg/values.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

struct PlacedValue {
  Value value;
  Place place;
};

bool is_whole_field(const Field& field) {
  return std::holds_alternative<std::int64_t>(field.get(Config{}));
}

bool is_number_field(const Field& field) {
  return is_whole_field(field) || std::holds_alternative<double>(field.get(Config{}));
}

/// The number that `text` spells: 3 * pow(10, -4) is not 3e-4.
double spelled(const std::string& text) { return parse_number(text).value(); }

/// All mantissas of all decades from `from` to `to`.
std::vector<double> decades(double from, double to, const std::vector<double>& mantissas) {
  std::vector<double> levels;
  const int first = static_cast<int>(std::floor(std::log10(from))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(to))) + 1;
  for (int decade = first; decade <= last; ++decade) {
    for (const double mantissa : mantissas) {
      const double level = spelled(fmt::format("{}e{}", format_number(mantissa), decade));
      if (level >= from && level <= to) levels.push_back(level);
    }
  }
  return levels;
}

/// `points` numbers from `from` to `to`, in equal steps of the logarithm.
std::vector<double> log_spaced(double from, double to, std::int64_t points, bool whole) {
  std::vector<double> levels = {from};
  for (std::int64_t i = 1; i + 1 < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const double exact = std::exp(std::log(from) + share * (std::log(to) - std::log(from)));
    const double rounded = spelled(fmt::format("{:.2e}", exact));
    levels.push_back(whole ? std::round(rounded) : rounded);
  }
  levels.push_back(to);
  return levels;
}

/// The map forms of a line: {from, to} and either per_decade or points.
class Spread {
 public:
  Spread(const Field& field, const YamlNode& node, Diagnostics& out)
      : field_(field), node_(node), out_(out) {}

  std::vector<PlacedValue> levels() {
    if (!is_number_field(field_)) {
      complain("from and to spread numbers only: list the levels");
      return {};
    }
    read();
    if (!usable_) return {};
    return typed(json_.contains("per_decade") ? per_decade() : points());
  }

 private:
  void complain(std::string message) {
    out_.problem(node_.place, field_.path, std::move(message));
    usable_ = false;
  }

  void read() {
    static const Shape shape = shape::map({{"from", shape::number()},
                                           {"to", shape::number()},
                                           {"per_decade", shape::list(shape::number()), false},
                                           {"points", shape::whole(2, 1000), false}});
    Diagnostics found;
    json_ = shape(node_, field_.path, found);
    usable_ = found.empty();
    out_.take(found);
    if (!usable_) return;
    from_ = json_.at("from").get<double>();
    to_ = json_.at("to").get<double>();
    if (json_.contains("per_decade") == json_.contains("points")) {
      complain("needs either per_decade (mantissas) or points (their number)");
    } else if (from_ <= 0 || from_ >= to_) {
      complain("needs 0 < from < to, since levels are spread over the logarithm");
    }
  }

  std::vector<double> per_decade() {
    const auto mantissas = json_.at("per_decade").get<std::vector<double>>();
    const bool fit =
        std::all_of(mantissas.begin(), mantissas.end(), [](double m) { return m >= 1 && m < 10; });
    if (!fit || !std::is_sorted(mantissas.begin(), mantissas.end(), std::less_equal<>())) {
      complain("per_decade must hold ascending mantissas from 1 to below 10");
      return {};
    }
    const std::vector<double> levels = decades(from_, to_, mantissas);
    require_level("from", from_, levels);
    require_level("to", to_, levels);
    return levels;
  }

  void require_level(const std::string& end, double value, const std::vector<double>& levels) {
    if (std::find(levels.begin(), levels.end(), value) != levels.end()) return;
    complain(fmt::format("{}: {} is none of the levels that per_decade makes", end,
                         format_number(value)));
  }

  std::vector<double> points() {
    return log_spaced(from_, to_, json_.at("points").get<std::int64_t>(), is_whole_field(field_));
  }

  std::vector<PlacedValue> typed(const std::vector<double>& numbers) {
    std::vector<PlacedValue> levels;
    for (const double number : numbers) {
      const bool whole = is_whole_field(field_);
      if (whole && number != std::floor(number)) {
        complain(fmt::format("level {} is not a whole number", format_number(number)));
        continue;
      }
      const Value value = whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
      if (std::string problem = value_problem(field_, value); !problem.empty()) {
        complain(std::move(problem));
      }
      levels.push_back({value, node_.place});
    }
    return levels;
  }

  const Field& field_;
  const YamlNode& node_;
  Diagnostics& out_;
  Json json_;
  double from_ = 0;
  double to_ = 0;
  bool usable_ = true;
};

std::vector<PlacedValue> listed(const Field& field, const YamlNode& node, Diagnostics& out) {
  std::vector<PlacedValue> levels;
  if (!expect_list(node, field.path, out)) return levels;
  for (const YamlNode& item : node.items) {
    if (auto value = read_value(field, item, field.path, out)) {
      levels.push_back({std::move(*value), item.place});
    }
  }
  return levels;
}

/// Reports levels that are equal, as 0.3 and 3e-1 are, and leaves them out.
std::vector<Value> distinct(const std::vector<PlacedValue>& levels, const std::string& name,
                            Diagnostics& out) {
  std::vector<Value> values;
  for (const PlacedValue& level : levels) {
    if (std::find(values.begin(), values.end(), level.value) == values.end()) {
      values.push_back(level.value);
    } else {
      out.problem(level.place, name,
                  fmt::format("level {} stands here twice", to_text(level.value)));
    }
  }
  return values;
}

}  // namespace

std::vector<Value> read_levels(const Field& field, const YamlNode& node, Diagnostics& out) {
  const bool spread = node.kind == YamlNode::Kind::kMap;
  auto levels = distinct(spread ? Spread(field, node, out).levels() : listed(field, node, out),
                         field.path, out);
  if (is_number_field(field)) std::sort(levels.begin(), levels.end());
  return levels;
}

}  // namespace sweep
