// Part of every kernel: see for_each_instruction_set.h.

using Floats = Lanes<float>;
inline constexpr std::int64_t kWidth = kLanes<float>;

/// The first n numbers, the lanes beyond them zero.
inline Floats load_first(const float* from, std::int64_t n) {
  if (n >= kWidth) return load(from);
  Floats lanes = {};
  std::memcpy(&lanes, from, static_cast<std::size_t>(n) * sizeof(float));
  return lanes;
}

inline void store_first(float* to, const Floats& lanes, std::int64_t n) {
  if (n >= kWidth) return store(to, lanes);
  std::memcpy(to, &lanes, static_cast<std::size_t>(n) * sizeof(float));
}

/// The lanes from n on become zero.
inline Floats keep_first(const Floats& lanes, std::int64_t n) {
  if (n >= kWidth) return lanes;
  Floats kept = {};
  std::memcpy(&kept, &lanes, static_cast<std::size_t>(n) * sizeof(float));
  return kept;
}

/// Calls visit(i, n) for the lanes that begin at i, of which n belong to the row: a constant where
/// all do, so that the visit is compiled for whole lanes without any condition.
template <typename Visit>
void for_each_lanes(std::int64_t size, Visit visit) {
  std::int64_t i = 0;
  for (; i + kWidth <= size; i += kWidth) visit(i, std::integral_constant<std::int64_t, kWidth>{});
  if (i < size) visit(i, size - i);
}
