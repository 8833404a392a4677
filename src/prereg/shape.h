#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "prereg/scalars.h"
#include "sweep/base/json.h"

namespace sweep {

struct Key;

/// Reads one form of YAML value into JSON and reports what does not fit. Where something does not,
/// the result holds what did; it is usable only when nothing was reported. Knows what it reads, for
/// the reference page (docs/prereg.md).
class Shape {
 public:
  using Reader = std::function<Json(const YamlNode&, const std::string& name, Diagnostics&)>;

  /// `form`: what stands in the file, "a number from 0 on".
  Shape(std::string form, Reader read);
  Shape(std::string form, Reader read, std::vector<Key> keys);

  Json operator()(const YamlNode& node, const std::string& name, Diagnostics& out) const {
    return read_(node, name, out);
  }
  [[nodiscard]] const std::string& form() const { return form_; }
  /// Of a map with these keys and no others; empty for any other form.
  [[nodiscard]] const std::vector<Key>& keys() const { return *keys_; }

 private:
  std::string form_;
  Reader read_;
  std::shared_ptr<const std::vector<Key>> keys_;
};

struct Key {
  std::string name;
  Shape shape;
  bool required = true;
};

namespace shape {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Shape number(double min = -kNoLimit, double max = kNoLimit);
Shape whole(double min = 0, double max = 1e15);
Shape flag();
/// One of `choices`; any word when there are none.
Shape word(std::vector<std::string> choices = {});
/// One of the names that stand elsewhere in the file, at `where`; with none there, none is right.
Shape reference(const std::vector<std::string>& names, const std::string& where);
Shape text();
Shape list(Shape item);
/// Two numbers, the smaller one first.
Shape interval();
/// These keys and no others. The result has them in this order, whatever the file's.
Shape map(std::vector<Key> keys);
/// Any keys, all of one shape.
Shape map_of(Shape value);
/// `scalar` for a scalar, `other` for a list or map.
Shape either(Shape scalar, Shape other);

}  // namespace shape
}  // namespace sweep
