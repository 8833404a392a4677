#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpt/mechanism_meters.h"

namespace sweep {

// What meters of the mechanism have in common: numbers out of tensors, statistics over layers and
// heads, and names.

using Numbers = std::vector<double>;

/// Of a tensor of one entry.
double number_of(const at::Tensor& x);
/// Of all entries, in their order.
Numbers numbers_of(const at::Tensor& x);
double square_sum(const at::Tensor& x);

/// NaN when one of them is: std::max_element would pass over it.
double largest(const Numbers& values);
double smallest(Numbers values);
double mean_of(const Numbers& values);
Numbers flattened(const std::vector<Numbers>& by_head);
/// Infinity for what is not finite: it has left every bound.
Numbers finite_or_infinite(Numbers values);

/// "NAME/L3"
std::string in_layer(const std::string& name, std::size_t layer);
/// The block that a tensor belongs to: 3 for transformer.h.3.attn.c_attn.weight.
std::optional<std::size_t> layer_of(const std::string& parameter);

/// The value over everything, then each layer's.
NamedValues with_layers(const std::string& name, double overall, const Numbers& by_layer);
/// The value over everything, then each layer's followed by those of its heads.
NamedValues with_heads(const std::string& name, double overall, const Numbers& by_layer,
                       const std::vector<Numbers>& by_head);
/// Of the residual stream: at the input of each block, and last, as NAME/out, behind them all.
NamedValues with_places(const std::string& name, double overall, Numbers by_place);

class NamedMeter : public Meter {
 public:
  NamedMeter(std::string name, std::size_t layers) : name_(std::move(name)), layers_(layers) {}

 protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t layers() const { return layers_; }

 private:
  std::string name_;
  std::size_t layers_;
};

}  // namespace sweep
