// Conversions and arithmetic with a rounding mode in their name: _rn nearest even, _rz to zero, _rd down,
// _ru up.
#pragma once
#include <limits>

#include "bits.h"

namespace sim {

enum class Rounding { rn, rz, rd, ru };
enum class Arithmetic { add, sub, mul, div, fma, sqrt };

// In the runtime: an optimiser that reads the learner's unit does not know of rounding modes.
float rounded(Arithmetic, Rounding, float a, float b = 0, float c = 0);
double rounded(Arithmetic, Rounding, double a, double b = 0, double c = 0);
float to_float(Rounding, double);
float to_float(Rounding, long long);
float to_float(Rounding, unsigned long long);
double to_double(Rounding, long long);
double to_double(Rounding, unsigned long long);

namespace detail {

// Float to integer as a GPU does it: out of range gives the nearest end, NaN gives 0 (or INT_MIN's like for
// 64 bits).
template <class To, class From>
SIM_MATH To saturate(From x) {
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : 0;
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

}  // namespace detail
}  // namespace sim

#define SIM_CONVERT(prefix, From, to, To)                                                              \
  SIM_MATH To prefix##2##to##_rn(From x) { return sim::detail::saturate<To>(__builtin_nearbyint(x)); } \
  SIM_MATH To prefix##2##to##_rz(From x) { return sim::detail::saturate<To>(__builtin_trunc(x)); }     \
  SIM_MATH To prefix##2##to##_rd(From x) { return sim::detail::saturate<To>(__builtin_floor(x)); }     \
  SIM_MATH To prefix##2##to##_ru(From x) { return sim::detail::saturate<To>(__builtin_ceil(x)); }
SIM_CONVERT(__float, float, int, int)
SIM_CONVERT(__float, float, uint, unsigned)
SIM_CONVERT(__float, float, ll, long long)
SIM_CONVERT(__float, float, ull, unsigned long long)
SIM_CONVERT(__double, double, int, int)
SIM_CONVERT(__double, double, uint, unsigned)
SIM_CONVERT(__double, double, ll, long long)
SIM_CONVERT(__double, double, ull, unsigned long long)
#undef SIM_CONVERT

#define SIM_TO_REAL(From, from, Wide, To, to)                                                                \
  SIM_MATH To __##from##2##to##_rn(From x) { return static_cast<To>(x); }                                    \
  SIM_MATH To __##from##2##to##_rz(From x) { return sim::to_##to(sim::Rounding::rz, static_cast<Wide>(x)); } \
  SIM_MATH To __##from##2##to##_rd(From x) { return sim::to_##to(sim::Rounding::rd, static_cast<Wide>(x)); } \
  SIM_MATH To __##from##2##to##_ru(From x) { return sim::to_##to(sim::Rounding::ru, static_cast<Wide>(x)); }
SIM_TO_REAL(int, int, long long, float, float)
SIM_TO_REAL(unsigned, uint, long long, float, float)
SIM_TO_REAL(long long, ll, long long, float, float)
SIM_TO_REAL(unsigned long long, ull, unsigned long long, float, float)
SIM_TO_REAL(double, double, double, float, float)
SIM_TO_REAL(long long, ll, long long, double, double)
SIM_TO_REAL(unsigned long long, ull, unsigned long long, double, double)
#undef SIM_TO_REAL
SIM_MATH double __int2double_rn(int x) { return x; }
SIM_MATH double __uint2double_rn(unsigned x) { return x; }

#define SIM_ROUNDED_1(name, T, kind)                                                              \
  SIM_MATH T name##_rz(T a) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::rz, a); } \
  SIM_MATH T name##_rd(T a) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::rd, a); } \
  SIM_MATH T name##_ru(T a) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::ru, a); }
#define SIM_ROUNDED_2(name, T, kind, expression)                                                          \
  SIM_MATH T name##_rn(T a, T b) { return expression; }                                                   \
  SIM_MATH T name##_rz(T a, T b) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::rz, a, b); } \
  SIM_MATH T name##_rd(T a, T b) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::rd, a, b); } \
  SIM_MATH T name##_ru(T a, T b) { return sim::rounded(sim::Arithmetic::kind, sim::Rounding::ru, a, b); }
#define SIM_ROUNDED_3(name, T)                                             \
  SIM_MATH T name##_rz(T a, T b, T c) {                                    \
    return sim::rounded(sim::Arithmetic::fma, sim::Rounding::rz, a, b, c); \
  }                                                                        \
  SIM_MATH T name##_rd(T a, T b, T c) {                                    \
    return sim::rounded(sim::Arithmetic::fma, sim::Rounding::rd, a, b, c); \
  }                                                                        \
  SIM_MATH T name##_ru(T a, T b, T c) {                                    \
    return sim::rounded(sim::Arithmetic::fma, sim::Rounding::ru, a, b, c); \
  }
#define SIM_RECIPROCAL(name, T)                                                                        \
  SIM_MATH T name##_rn(T a) { return T(1) / a; }                                                       \
  SIM_MATH T name##_rz(T a) { return sim::rounded(sim::Arithmetic::div, sim::Rounding::rz, T(1), a); } \
  SIM_MATH T name##_rd(T a) { return sim::rounded(sim::Arithmetic::div, sim::Rounding::rd, T(1), a); } \
  SIM_MATH T name##_ru(T a) { return sim::rounded(sim::Arithmetic::div, sim::Rounding::ru, T(1), a); }
SIM_ROUNDED_2(__fadd, float, add, a + b)
SIM_ROUNDED_2(__fsub, float, sub, a - b)
SIM_ROUNDED_2(__fmul, float, mul, a* b)
SIM_ROUNDED_2(__fdiv, float, div, a / b)
SIM_ROUNDED_2(__dadd, double, add, a + b)
SIM_ROUNDED_2(__dsub, double, sub, a - b)
SIM_ROUNDED_2(__dmul, double, mul, a* b)
SIM_ROUNDED_2(__ddiv, double, div, a / b)
SIM_ROUNDED_1(__fsqrt, float, sqrt)
SIM_ROUNDED_1(__dsqrt, double, sqrt)
SIM_ROUNDED_3(__fmaf, float)
SIM_ROUNDED_3(__fma, double)
SIM_RECIPROCAL(__frcp, float)
SIM_RECIPROCAL(__drcp, double)
#undef SIM_ROUNDED_1
#undef SIM_ROUNDED_2
#undef SIM_ROUNDED_3
#undef SIM_RECIPROCAL
SIM_MATH float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIM_MATH float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIM_MATH double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIM_MATH float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
SIM_MATH double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
// From double, so that it is rounded once.
SIM_MATH float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
}
