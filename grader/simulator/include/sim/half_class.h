// CUDA's 16-bit float classes and their operators.  PyTorch builds extensions with
// __CUDA_NO_HALF_OPERATORS__,
// __CUDA_NO_HALF2_OPERATORS__, __CUDA_NO_HALF_CONVERSIONS__ and __CUDA_NO_BFLOAT16_CONVERSIONS__, and so does
// the simulator: what those take away is absent here too.
#pragma once
#include "math.h"
#include "thread.h"

namespace c10 {
struct Half;
struct BFloat16;
}  // namespace c10

namespace sim::detail {

// torch declares its own conversions under __CUDACC__ only, and its headers are precompiled without.
template <class T, class C10>
constexpr bool is_torch_half = std::is_same_v<T, C10>;

// `x` rounded to a format of `mantissa` bits behind the point, in the direction that `rounding` says.
SIM_MATH double rounded_to(Rounding rounding, double x, int mantissa, int least_exponent, double largest) {
  if (x != x || __builtin_isinf(x) || x == 0) return x;
  const int exponent = std::max(__builtin_ilogb(x), least_exponent);
  const double unit = __builtin_ldexp(1.0, exponent - mantissa), scaled = x / unit;
  const double kept = rounding == Rounding::rz   ? __builtin_trunc(scaled)
                      : rounding == Rounding::rd ? __builtin_floor(scaled)
                      : rounding == Rounding::ru ? __builtin_ceil(scaled)
                                                 : __builtin_nearbyint(scaled);
  const double result = kept == 0 ? __builtin_copysign(0.0, x) : kept * unit;
  const bool inward = rounding == Rounding::rz || (rounding == Rounding::rd) == (x > 0);
  if (rounding == Rounding::rn || __builtin_fabs(result) <= largest || !inward) return result;
  return __builtin_copysign(largest, x);
}

// The structure of bits that belongs to a class.
template <class H>
struct RawOf;

}  // namespace sim::detail

#define SIM_HALF_CLASS(H, H2, Raw, Raw2, C10, Explicit, encode, decode, ...)          \
  struct Raw {                                                                        \
    unsigned short x;                                                                 \
  };                                                                                  \
  struct Raw2 {                                                                       \
    unsigned short x, y;                                                              \
  };                                                                                  \
  struct __attribute__((aligned(2))) H {                                              \
    uint16_t bits;                                                                    \
    H() = default;                                                                    \
    H(const Raw& raw) : bits(raw.x) {}                                                \
    operator Raw() const { return Raw{bits}; }                                        \
    template <class T, std::enable_if_t<sim::detail::is_torch_half<T, C10>, int> = 0> \
    Explicit H(T x) : bits(x.x) {}                                                    \
    template <class T, std::enable_if_t<sim::detail::is_torch_half<T, C10>, int> = 0> \
    operator T() const {                                                              \
      T t;                                                                            \
      t.x = bits;                                                                     \
      return t;                                                                       \
    }                                                                                 \
    static H of(double x) { return H(Raw{encode(x)}); }                               \
    float value() const { return decode(bits); }                                      \
    __VA_ARGS__                                                                       \
  };                                                                                  \
  struct __attribute__((aligned(4))) H2 {                                             \
    H x, y;                                                                           \
    H2() = default;                                                                   \
    H2(const H& a, const H& b) : x(a), y(b) {}                                        \
    H2(const Raw2& raw) : x(Raw{raw.x}), y(Raw{raw.y}) {}                             \
    operator Raw2() const { return Raw2{x.bits, y.bits}; }                            \
  };                                                                                  \
  namespace sim::detail {                                                             \
  template <>                                                                         \
  inline constexpr bool is_cached_type<H> = true;                                     \
  template <>                                                                         \
  inline constexpr bool is_cached_type<H2> = true;                                    \
  template <>                                                                         \
  struct RawOf<H> {                                                                   \
    using type = Raw;                                                                 \
  };                                                                                  \
  }

// Members, so that the macros that forbid conversions can leave them out.
#define SIM_HALF_IMPLICIT(H)                                            \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> \
  H(T x) : H(of(static_cast<double>(x))) {}                             \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> \
  H& operator=(T x) {                                                   \
    return *this = of(static_cast<double>(x));                          \
  }                                                                     \
  operator float() const { return value(); }

#define SIM_HALF_OPERATORS(H)                                               \
  SIM_MATH H operator+(const H& a, const H& b) { return __hadd(a, b); }     \
  SIM_MATH H operator-(const H& a, const H& b) { return __hsub(a, b); }     \
  SIM_MATH H operator*(const H& a, const H& b) { return __hmul(a, b); }     \
  SIM_MATH H operator/(const H& a, const H& b) { return __hdiv(a, b); }     \
  SIM_MATH H operator-(const H& a) { return __hneg(a); }                    \
  SIM_MATH H operator+(const H& a) { return a; }                            \
  SIM_MATH H& operator+=(H& a, const H& b) { return a = __hadd(a, b); }     \
  SIM_MATH H& operator-=(H& a, const H& b) { return a = __hsub(a, b); }     \
  SIM_MATH H& operator*=(H& a, const H& b) { return a = __hmul(a, b); }     \
  SIM_MATH H& operator/=(H& a, const H& b) { return a = __hdiv(a, b); }     \
  SIM_MATH H& operator++(H& a) { return a = __hadd(a, H::of(1)); }          \
  SIM_MATH H& operator--(H& a) { return a = __hsub(a, H::of(1)); }          \
  SIM_MATH H operator++(H& a, int) {                                        \
    const H before = a;                                                     \
    ++a;                                                                    \
    return before;                                                          \
  }                                                                         \
  SIM_MATH H operator--(H& a, int) {                                        \
    const H before = a;                                                     \
    --a;                                                                    \
    return before;                                                          \
  }                                                                         \
  SIM_MATH bool operator==(const H& a, const H& b) { return __heq(a, b); }  \
  SIM_MATH bool operator!=(const H& a, const H& b) { return __hneu(a, b); } \
  SIM_MATH bool operator<(const H& a, const H& b) { return __hlt(a, b); }   \
  SIM_MATH bool operator>(const H& a, const H& b) { return __hgt(a, b); }   \
  SIM_MATH bool operator<=(const H& a, const H& b) { return __hle(a, b); }  \
  SIM_MATH bool operator>=(const H& a, const H& b) { return __hge(a, b); }

#define SIM_HALF2_OPERATORS(H2, one)                                            \
  SIM_MATH H2 operator+(const H2& a, const H2& b) { return __hadd2(a, b); }     \
  SIM_MATH H2 operator-(const H2& a, const H2& b) { return __hsub2(a, b); }     \
  SIM_MATH H2 operator*(const H2& a, const H2& b) { return __hmul2(a, b); }     \
  SIM_MATH H2 operator/(const H2& a, const H2& b) { return __h2div(a, b); }     \
  SIM_MATH H2 operator-(const H2& a) { return __hneg2(a); }                     \
  SIM_MATH H2 operator+(const H2& a) { return a; }                              \
  SIM_MATH H2& operator+=(H2& a, const H2& b) { return a = __hadd2(a, b); }     \
  SIM_MATH H2& operator-=(H2& a, const H2& b) { return a = __hsub2(a, b); }     \
  SIM_MATH H2& operator*=(H2& a, const H2& b) { return a = __hmul2(a, b); }     \
  SIM_MATH H2& operator/=(H2& a, const H2& b) { return a = __h2div(a, b); }     \
  SIM_MATH H2& operator++(H2& a) { return a = __hadd2(a, H2(one, one)); }       \
  SIM_MATH H2& operator--(H2& a) { return a = __hsub2(a, H2(one, one)); }       \
  SIM_MATH bool operator==(const H2& a, const H2& b) { return __hbeq2(a, b); }  \
  SIM_MATH bool operator!=(const H2& a, const H2& b) { return __hbneu2(a, b); } \
  SIM_MATH bool operator<(const H2& a, const H2& b) { return __hblt2(a, b); }   \
  SIM_MATH bool operator>(const H2& a, const H2& b) { return __hbgt2(a, b); }   \
  SIM_MATH bool operator<=(const H2& a, const H2& b) { return __hble2(a, b); }  \
  SIM_MATH bool operator>=(const H2& a, const H2& b) { return __hbge2(a, b); }
