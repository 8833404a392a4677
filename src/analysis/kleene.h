#pragma once

#include <optional>

namespace sweep {

/// Kleene's three-valued logic: nullopt is "unknown".
using Truth = std::optional<bool>;

inline Truth kleene_not(Truth a) { return a ? Truth(!*a) : Truth(); }

/// One false decides, then one unknown.
inline Truth kleene_and(Truth a, Truth b) {
  if (a == false || b == false) return false;
  if (!a || !b) return std::nullopt;
  return true;
}

inline Truth kleene_or(Truth a, Truth b) {
  return kleene_not(kleene_and(kleene_not(a), kleene_not(b)));
}

}  // namespace sweep
