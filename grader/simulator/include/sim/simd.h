// CUDA's SIMD-in-a-word intrinsics: two lanes of 16 bits or four of 8 in one unsigned.
#pragma once
#include "bits.h"

namespace sim::detail {

template <class Lane, class F>
SIM_MATH unsigned each_lane(unsigned a, unsigned b, F f) {
  constexpr int kBits = 8 * sizeof(Lane);
  constexpr unsigned kMask = (1u << kBits) - 1;
  unsigned r = 0;
  for (int i = 0; i < 32; i += kBits)
    r |= (static_cast<unsigned>(
              f(static_cast<int>(static_cast<Lane>(a >> i)), static_cast<int>(static_cast<Lane>(b >> i)))) &
          kMask)
         << i;
  return r;
}

template <class Lane>
SIM_MATH int clamped(int x) {
  constexpr int kLow = std::is_signed_v<Lane> ? -(1 << (8 * sizeof(Lane) - 1)) : 0;
  constexpr int kHigh = kLow + (1 << 8 * sizeof(Lane)) - 1;
  return x < kLow ? kLow : x > kHigh ? kHigh : x;
}

SIM_MATH int distance(int a, int b) { return a > b ? a - b : b - a; }

template <class Lane>
SIM_MATH unsigned summed(unsigned a, unsigned b) {
  unsigned total = 0;
  for (unsigned i = 0; i < 32; i += 8 * sizeof(Lane))
    total += static_cast<unsigned>(distance(static_cast<Lane>(a >> i), static_cast<Lane>(b >> i)));
  return total;
}

}  // namespace sim::detail

#define SIM_LANES_1(name, Lane, expression)                                                              \
  SIM_MATH unsigned name(unsigned x) {                                                                   \
    return sim::detail::each_lane<Lane>(x, x, [](int a, [[maybe_unused]] int b) { return expression; }); \
  }
#define SIM_LANES_2(name, Lane, expression)                                             \
  SIM_MATH unsigned name(unsigned x, unsigned y) {                                      \
    return sim::detail::each_lane<Lane>(x, y, [](int a, int b) { return expression; }); \
  }
#define SIM_COMPARE(n, letter, Lane, name, operation)                  \
  SIM_LANES_2(__vcmp##name##letter##n, Lane, (a operation b) ? -1 : 0) \
  SIM_LANES_2(__vset##name##letter##n, Lane, (a operation b) ? 1 : 0)
#define SIM_COMPARES(n, letter, Lane)  \
  SIM_COMPARE(n, letter, Lane, ge, >=) \
  SIM_COMPARE(n, letter, Lane, gt, >)  \
  SIM_COMPARE(n, letter, Lane, le, <=) \
  SIM_COMPARE(n, letter, Lane, lt, <)
#define SIM_SIMD(n, Signed, Unsigned)                                                                \
  SIM_LANES_2(__vadd##n, Unsigned, a + b)                                                            \
  SIM_LANES_2(__vaddss##n, Signed, sim::detail::clamped<Signed>(a + b))                              \
  SIM_LANES_2(__vaddus##n, Unsigned, sim::detail::clamped<Unsigned>(a + b))                          \
  SIM_LANES_2(__vsub##n, Unsigned, a - b)                                                            \
  SIM_LANES_2(__vsubss##n, Signed, sim::detail::clamped<Signed>(a - b))                              \
  SIM_LANES_2(__vsubus##n, Unsigned, sim::detail::clamped<Unsigned>(a - b))                          \
  SIM_LANES_2(__vabsdiffs##n, Signed, sim::detail::distance(a, b))                                   \
  SIM_LANES_2(__vabsdiffu##n, Unsigned, sim::detail::distance(a, b))                                 \
  SIM_LANES_2(__vavgs##n, Signed, (a + b + (a + b >= 0)) >> 1)                                       \
  SIM_LANES_2(__vavgu##n, Unsigned, (a + b + 1) >> 1)                                                \
  SIM_LANES_2(__vhaddu##n, Unsigned, (a + b) >> 1)                                                   \
  SIM_LANES_2(__vmaxs##n, Signed, a > b ? a : b)                                                     \
  SIM_LANES_2(__vmaxu##n, Unsigned, a > b ? a : b)                                                   \
  SIM_LANES_2(__vmins##n, Signed, a < b ? a : b)                                                     \
  SIM_LANES_2(__vminu##n, Unsigned, a < b ? a : b)                                                   \
  SIM_LANES_1(__vabs##n, Signed, a < 0 ? -a : a)                                                     \
  SIM_LANES_1(__vabsss##n, Signed, sim::detail::clamped<Signed>(a < 0 ? -a : a))                     \
  SIM_LANES_1(__vneg##n, Signed, -a)                                                                 \
  SIM_LANES_1(__vnegss##n, Signed, sim::detail::clamped<Signed>(-a))                                 \
  SIM_COMPARE(n, , Unsigned, eq, ==)                                                                 \
  SIM_COMPARE(n, , Unsigned, ne, !=)                                                                 \
  SIM_COMPARES(n, s, Signed)                                                                         \
  SIM_COMPARES(n, u, Unsigned)                                                                       \
  SIM_MATH unsigned __vsads##n(unsigned a, unsigned b) { return sim::detail::summed<Signed>(a, b); } \
  SIM_MATH unsigned __vsadu##n(unsigned a, unsigned b) { return sim::detail::summed<Unsigned>(a, b); }
SIM_SIMD(2, int16_t, uint16_t)
SIM_SIMD(4, int8_t, uint8_t)
#undef SIM_SIMD
#undef SIM_COMPARES
#undef SIM_COMPARE
#undef SIM_LANES_2
#undef SIM_LANES_1

// Minima and maxima of two and three numbers, with and without a floor of zero.
#define SIM_THREE_WAY(suffix, T)                                                                    \
  SIM_MATH T __vimax3_##suffix(T a, T b, T c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); } \
  SIM_MATH T __vimin3_##suffix(T a, T b, T c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); } \
  SIM_MATH T __viaddmax_##suffix(T a, T b, T c) {                                                   \
    const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));              \
    return sum > c ? sum : c;                                                                       \
  }                                                                                                 \
  SIM_MATH T __viaddmin_##suffix(T a, T b, T c) {                                                   \
    const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));              \
    return sum < c ? sum : c;                                                                       \
  }
SIM_THREE_WAY(s32, int)
SIM_THREE_WAY(u32, unsigned)
#undef SIM_THREE_WAY
SIM_MATH int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
SIM_MATH int __vimin_s32_relu(int a, int b) { return a < b ? (a > 0 ? a : 0) : (b > 0 ? b : 0); }
SIM_MATH int __vimax3_s32_relu(int a, int b, int c) { return __vimax3_s32(__vimax3_s32(a, b, c), 0, 0); }
SIM_MATH int __vimin3_s32_relu(int a, int b, int c) {
  const int least = __vimin3_s32(a, b, c);
  return least > 0 ? least : 0;
}
