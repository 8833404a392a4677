#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpt/mechanism_sums.h"

namespace sweep {

// Statistics over layers and heads, and the names they are recorded under.

using Numbers = std::vector<double>;

/// NaN when one of them is: std::max_element would pass over it.
double largest(const Numbers& values);
double smallest(Numbers values);
double mean_of(const Numbers& values);
Numbers flattened(const std::vector<Numbers>& by_head);

/// "NAME/L3"
std::string in_layer(const std::string& name, std::size_t layer);

/// The value over everything, then each layer's.
NamedValues with_layers(const std::string& name, double overall, const Numbers& by_layer);
/// The value over everything, then each layer's followed by those of its heads.
NamedValues with_heads(const std::string& name, double overall, const Numbers& by_layer,
                       const std::vector<Numbers>& by_head);
/// Of the residual stream: at the input of each block, and last, as NAME/out, behind them all.
NamedValues with_places(const std::string& name, double overall, Numbers by_place);

}  // namespace sweep
