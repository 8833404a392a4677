// Part of every kernel: see for_each_instruction_set.h, which includes this file in a namespace for
// each of them.

inline constexpr std::size_t kNativeBytes = kInstructionSet == InstructionSet::kAvx512 ? 64
                                            : kInstructionSet == InstructionSet::kAvx2 ? 32
                                                                                       : 16;

// A product keeps a tile of sums in the registers: so many rows, by as many columns as are left.
inline constexpr bool kHas32Registers = kInstructionSet == InstructionSet::kAvx512;
inline constexpr std::int64_t kTileRows = kHas32Registers ? 8 : 4;

/// What fills one register.
template <typename T>
struct NativeOf {
  using Type [[gnu::vector_size(kNativeBytes)]] = T;
};
template <typename T>
using Native = typename NativeOf<T>::Type;

/// 64 bytes of numbers that are computed with at once, in as many registers as that takes.
template <typename T>
struct Lanes {
  static constexpr std::size_t kParts = 64 / kNativeBytes;
  Native<T> part[kParts];

  T operator[](std::int64_t i) const {
    constexpr auto kEach = static_cast<std::int64_t>(kNativeBytes / sizeof(T));
    return part[i / kEach][i % kEach];
  }
};

template <typename T>
inline constexpr std::int64_t kLanes = 64 / sizeof(T);

template <typename T>
constexpr std::int64_t whole_lanes(std::int64_t n) {
  return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

template <typename T>
Native<T> load_native(const T* from) {
  Native<T> part;
  std::memcpy(&part, from, sizeof part);
  return part;
}

template <typename T, std::size_t... kPart>
Lanes<T> load_parts(const T* from, std::index_sequence<kPart...>) {
  return {{load_native(from + kPart * kNativeBytes / sizeof(T))...}};
}

template <typename T>
Lanes<T> load(const T* from) {
  return load_parts(from, std::make_index_sequence<Lanes<T>::kParts>{});
}

template <typename T>
void store(T* to, const Lanes<T>& lanes) {
#pragma GCC unroll 4
  for (std::size_t p = 0; p < Lanes<T>::kParts; ++p) {
    std::memcpy(to + p * kNativeBytes / sizeof(T), &lanes.part[p], kNativeBytes);
  }
}

template <typename T, typename F, std::size_t... kPart, typename... More>
[[gnu::always_inline]] inline Lanes<T> map_parts(F f, std::index_sequence<kPart...>,
                                                 const Lanes<T>& first, const More&... more) {
  const auto one = [&](auto part) { return f(first.part[part()], more.part[part()]...); };
  return {{one(std::integral_constant<std::size_t, kPart>{})...}};
}

/// f of each register.
template <typename T, typename F, typename... More>
[[gnu::always_inline]] inline Lanes<T> map(F f, const Lanes<T>& first, const More&... more) {
  return map_parts(f, std::make_index_sequence<Lanes<T>::kParts>{}, first, more...);
}

template <typename T>
Native<T> native_lanes(T x) {
  return x - Native<T>{};  // keeps the sign of a zero, as x + 0 would not
}

template <typename T>
Lanes<T> all_lanes(T x) {
  return map([x](const auto&) { return native_lanes(x); }, Lanes<T>{});
}

#define SWEEP_OPERATOR(op)                                                              \
  template <typename T>                                                                 \
  Lanes<T> operator op(const Lanes<T>& a, const Lanes<T>& b) {                          \
    return map([](const auto& x, const auto& y) -> Native<T> { return x op y; }, a, b); \
  }                                                                                     \
  template <typename T>                                                                 \
  Lanes<T> operator op(const Lanes<T>& a, std::type_identity_t<T> b) {                  \
    return a op all_lanes<T>(b);                                                        \
  }                                                                                     \
  template <typename T>                                                                 \
  Lanes<T>& operator op##=(Lanes<T>& a, const Lanes<T>& b) {                            \
    return a = a op b;                                                                  \
  }
SWEEP_OPERATOR(+)
SWEEP_OPERATOR(-)
SWEEP_OPERATOR(*)
#undef SWEEP_OPERATOR

/// The larger of each two; of a NaN and a number `a`.
template <typename Vector>
Vector larger_of(const Vector& a, const Vector& b) {
  return b > a ? b : a;
}
template <typename T>
Lanes<T> larger_of(const Lanes<T>& a, const Lanes<T>& b) {
  return map([](const auto& x, const auto& y) -> Native<T> { return y > x ? y : x; }, a, b);
}

// Where numbers that were asked for are to lie, as `__builtin_prefetch` counts.
inline constexpr int kFirstCache = 3;
inline constexpr int kSecondCache = 2;

/// Asks for n numbers that will soon be read or, where T is not const, written; of a place that is
/// not there nothing comes. Always inlined: GCC takes a function that only asks for one without
/// effect, and drops its calls.
template <int kCache, typename T>
[[gnu::always_inline]] inline void fetch(T* from, std::int64_t n) {
  constexpr int kWritten = std::is_const_v<T> ? 0 : 1;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < n; i += kLine) __builtin_prefetch(from + i, kWritten, kCache);
}

/// a b + c, lane by lane and rounded once. Kernels are compiled without contraction: where a
/// product is fused with a sum hangs on no compiler and no instruction set. A processor without the
/// instruction gets the same bits from the C library, slowly. On ARM the loop below would do, but
/// GCC makes vectors of some of its lanes only.
template <typename T>
[[gnu::always_inline]] inline Native<T> fused(const Native<T>& a, const Native<T>& b, Native<T> c) {
#ifdef __x86_64__
  constexpr bool kSingle = sizeof(T) == 4;
  if constexpr (kInstructionSet == InstructionSet::kAvx512 && kSingle) {
    return (Native<T>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  } else if constexpr (kInstructionSet == InstructionSet::kAvx512) {
    return (Native<T>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
  } else if constexpr (kInstructionSet == InstructionSet::kAvx2 && kSingle) {
    return (Native<T>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  } else if constexpr (kInstructionSet == InstructionSet::kAvx2) {
    return (Native<T>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
  }
#elif defined(__aarch64__)
  if constexpr (sizeof(T) == 4) {
    return (Native<T>)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
  } else {
    return (Native<T>)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
  }
#endif
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kNativeBytes / sizeof(T); ++i) c[i] = std::fma(a[i], b[i], c[i]);
  return c;
}

template <typename T>
Lanes<T> multiply_add(const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c) {
  return map([](const auto& x, const auto& y, const auto& z) { return fused<T>(x, y, z); }, a, b,
             c);
}

/// Four numbers, which every processor computes with at once.
template <typename T>
struct FourOf {
  using Type [[gnu::vector_size(4 * sizeof(T))]] = T;
};
template <typename T>
using Four = typename FourOf<T>::Type;

template <typename T>
Four<T> load_four(const T* from) {
  Four<T> four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

template <typename T>
void store_four(T* to, const Four<T>& four) {
  std::memcpy(to, &four, sizeof four);
}

/// A square of four by four, transposed.
template <typename T>
void transpose(Four<T> (&rows)[4]) {
  const Four<T> low_ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four<T> high_ab = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Four<T> low_cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Four<T> high_cd = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
}

/// Writes a square of four by four transposed.
template <typename T>
void transpose_four(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  Four<T> rows[4];
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < 4; ++i) rows[i] = load_four(from + i * from_stride);
  transpose<T>(rows);
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < 4; ++i) store_four<T>(to + i * to_stride, rows[i]);
}

/// Folds a register by halving until four numbers are left.
template <typename T, typename Vector, typename Fold>
Four<T> fold_register(const Vector& x, Fold fold_two) {
  if constexpr (sizeof(Vector) == 4 * sizeof(T)) {
    return x;
  } else if constexpr (sizeof(Vector) == 8 * sizeof(T)) {
    return fold_two(__builtin_shufflevector(x, x, 0, 1, 2, 3),
                    __builtin_shufflevector(x, x, 4, 5, 6, 7));
  } else {
    return fold_register<T>(fold_two(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                                     __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15)),
                            fold_two);
  }
}

/// Folds all lanes by halving until four are left.
template <typename T, typename Fold>
Four<T> fold_to_four(const Lanes<T>& x, Fold fold_two) {
  if constexpr (Lanes<T>::kParts == 1) {
    return fold_register<T>(x.part[0], fold_two);
  } else if constexpr (Lanes<T>::kParts == 2) {
    return fold_register<T>(fold_two(x.part[0], x.part[1]), fold_two);
  } else {
    const auto low = fold_two(x.part[0], x.part[2]);
    const auto high = fold_two(x.part[1], x.part[3]);
    if constexpr (sizeof(low) == 4 * sizeof(T)) {
      return fold_two(low, high);
    } else {
      return __builtin_shufflevector(low, high, 0, 1, 2, 3);
    }
  }
}

/// Folds all lanes of four vectors at once, each by halving: an order that no compiler changes, and
/// the same for a vector alone.
template <typename T, typename Fold>
Four<T> fold_each(const Lanes<T> (&x)[4], Fold fold_two) {
  Four<T> rows[4];
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < 4; ++i) rows[i] = fold_to_four<T>(x[i], fold_two);
  transpose<T>(rows);
  return fold_two(fold_two(rows[0], rows[2]), fold_two(rows[1], rows[3]));
}

template <typename T>
Four<T> sums_of(const Lanes<T> (&x)[4]) {
  return fold_each<T>(x, [](const auto& a, const auto& b) { return a + b; });
}

/// Largest lane of each; NaN among them may be passed over.
template <typename T>
Four<T> largest_of(const Lanes<T> (&x)[4]) {
  return fold_each<T>(x, [](const auto& a, const auto& b) { return larger_of(a, b); });
}

template <typename T, typename Fold>
T fold(const Lanes<T>& x, Fold fold_two) {
  const Four<T> four = fold_to_four<T>(x, fold_two);
  const Four<T> two = fold_two(four, __builtin_shufflevector(four, four, 2, 3, 0, 1));
  const Four<T> one = fold_two(two, __builtin_shufflevector(two, two, 1, 0, 3, 2));
  return one[0];
}

template <typename T>
T sum_of(const Lanes<T>& lanes) {
  return fold<T>(lanes, [](const auto& a, const auto& b) { return a + b; });
}

/// Largest lane; NaN among them may be passed over.
template <typename T>
T largest_of(const Lanes<T>& lanes) {
  return fold<T>(lanes, [](const auto& a, const auto& b) { return larger_of(a, b); });
}
