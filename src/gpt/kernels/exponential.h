// Part of every kernel: see for_each_instruction_set.h.

/// e^x for x <= 0, lane by lane: within 2 units in the last place, 0 below -87, NaN for NaN.
/// (Cephes' expf: reduction to |y| <= ln(2)/2 and a polynomial of degree 7.)
inline Native<float> native_exponential(const Native<float>& x) {
  using Bits [[gnu::vector_size(kNativeBytes)]] = std::uint32_t;
  constexpr float kLowest = -87.0F;
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 0x1.8p23F;  // adding and taking it away rounds to a whole number
  const Native<float> rounded = fused<float>(x, native_lanes(kLog2E), native_lanes(kRound));
  const Native<float> power = rounded - kRound;
  Native<float> y = fused<float>(power, native_lanes(-kLn2High), x);
  y = fused<float>(power, native_lanes(-kLn2Low), y);
  Native<float> sum = native_lanes(1.9875691500e-4F);
  sum = fused<float>(sum, y, native_lanes(1.3981999507e-3F));
  sum = fused<float>(sum, y, native_lanes(8.3334519073e-3F));
  sum = fused<float>(sum, y, native_lanes(4.1665795894e-2F));
  sum = fused<float>(sum, y, native_lanes(1.6666665459e-1F));
  sum = fused<float>(sum, y, native_lanes(5.0000001201e-1F));
  sum = fused<float>(sum, y * y, y) + 1.0F;
  // The last bits of `rounded` are that number; a conversion to it would be undefined for a NaN.
  const Bits exponent = ((Bits)rounded + 127) << 23;
  const Native<float> result = sum * (Native<float>)exponent;  // NOLINT: the same bits
  return x < kLowest ? Native<float>{} : result;
}

inline Native<double> native_exponential(Native<double> x) {
  for (std::size_t i = 0; i < kNativeBytes / sizeof(double); ++i) x[i] = std::exp(x[i]);
  return x;
}

template <typename T>
Lanes<T> exponential(const Lanes<T>& x) {
  return map([](const auto& part) { return native_exponential(part); }, x);
}
