// CUDA's arithmetic beyond the C library: intrinsics, conversions, bit counts, min and max.
// The fast intrinsics are computed exactly: a right answer may not depend on their error.
#pragma once
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "../vector_types.h"

#define SIM_MATH static inline

namespace sim::detail {

template <class To, class From>
SIM_MATH __attribute__((always_inline)) To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "reinterpreting keeps the size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// Float to integer as a GPU does it: out of range gives the nearest end, NaN gives 0 (or INT_MIN's like for
// 64 bits).
template <class To, class From>
SIM_MATH To saturate(From x) {
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : 0;
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

}  // namespace sim::detail

#define SIM_REINTERPRET(name, To, From) \
  SIM_MATH To name(From x) { return sim::detail::bits_as<To>(x); }
SIM_REINTERPRET(__int_as_float, float, int)
SIM_REINTERPRET(__float_as_int, int, float)
SIM_REINTERPRET(__uint_as_float, float, unsigned)
SIM_REINTERPRET(__float_as_uint, unsigned, float)
SIM_REINTERPRET(__longlong_as_double, double, long long)
SIM_REINTERPRET(__double_as_longlong, long long, double)
#undef SIM_REINTERPRET
SIM_MATH int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
SIM_MATH int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
SIM_MATH double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(static_cast<uint64_t>(static_cast<uint32_t>(hi)) << 32 |
                                                     static_cast<uint32_t>(lo)));
}

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
SIM_MATH float __int2float_rn(int x) { return static_cast<float>(x); }
SIM_MATH float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
SIM_MATH float __ll2float_rn(long long x) { return static_cast<float>(x); }
SIM_MATH float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
SIM_MATH double __int2double_rn(int x) { return x; }
SIM_MATH double __uint2double_rn(unsigned x) { return x; }
SIM_MATH double __ll2double_rn(long long x) { return static_cast<double>(x); }
SIM_MATH double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
SIM_MATH float __double2float_rn(double x) { return static_cast<float>(x); }

SIM_MATH int __popc(unsigned x) { return __builtin_popcount(x); }
SIM_MATH int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SIM_MATH int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
SIM_MATH int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
SIM_MATH int __ffs(int x) { return __builtin_ffs(x); }
SIM_MATH int __ffsll(long long x) { return __builtin_ffsll(x); }
SIM_MATH unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31 - i);
  return r;
}
SIM_MATH unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
SIM_MATH unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= static_cast<unsigned>(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return r;
}
SIM_MATH unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(hi) << 32 | lo) << (shift & 31) >> 32);
}
SIM_MATH unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(hi) << 32 | lo) >> (shift & 31));
}
SIM_MATH int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
SIM_MATH unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
SIM_MATH long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
SIM_MATH unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
SIM_MATH int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
SIM_MATH unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
SIM_MATH unsigned __sad(int a, int b, unsigned c) { return c + static_cast<unsigned>(a > b ? a - b : b - a); }
SIM_MATH unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
SIM_MATH int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
SIM_MATH int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
SIM_MATH int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
  return c;
}

SIM_MATH float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIM_MATH double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIM_MATH float __fadd_rn(float a, float b) { return a + b; }
SIM_MATH float __fsub_rn(float a, float b) { return a - b; }
SIM_MATH float __fmul_rn(float a, float b) { return a * b; }
SIM_MATH float __fdiv_rn(float a, float b) { return a / b; }
SIM_MATH float __frcp_rn(float a) { return 1.0f / a; }
SIM_MATH float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
SIM_MATH float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
}
SIM_MATH double __dadd_rn(double a, double b) { return a + b; }
SIM_MATH double __dsub_rn(double a, double b) { return a - b; }
SIM_MATH double __dmul_rn(double a, double b) { return a * b; }
SIM_MATH double __ddiv_rn(double a, double b) { return a / b; }
SIM_MATH double __drcp_rn(double a) { return 1.0 / a; }
SIM_MATH double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
SIM_MATH float __fdividef(float a, float b) { return a / b; }
SIM_MATH float fdividef(float a, float b) { return a / b; }
SIM_MATH float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

SIM_MATH float rsqrtf(float x) { return __frsqrt_rn(x); }
SIM_MATH double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SIM_MATH float rsqrt(float x) { return rsqrtf(x); }
SIM_MATH float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
SIM_MATH double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
SIM_MATH float rhypotf(float a, float b) { return 1.0f / __builtin_hypotf(a, b); }
SIM_MATH float norm3df(float a, float b, float c) { return __builtin_sqrtf(a * a + b * b + c * c); }
SIM_MATH float norm4df(float a, float b, float c, float d) {
  return __builtin_sqrtf(a * a + b * b + c * c + d * d);
}
SIM_MATH float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
SIM_MATH float normcdff(float x) { return 0.5f * __builtin_erfcf(-x * 0.70710678118654752f); }
SIM_MATH double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752); }
SIM_MATH double sinpi(double x) { return __builtin_sin(__builtin_fmod(x, 2.0) * 3.14159265358979323846); }
SIM_MATH double cospi(double x) { return __builtin_cos(__builtin_fmod(x, 2.0) * 3.14159265358979323846); }
SIM_MATH float sinpif(float x) { return static_cast<float>(sinpi(x)); }
SIM_MATH float cospif(float x) { return static_cast<float>(cospi(x)); }

namespace sim::fast {
SIM_MATH float expf(float x) { return __builtin_expf(x); }
SIM_MATH float exp10f(float x) { return __builtin_powf(10.0f, x); }
SIM_MATH float logf(float x) { return __builtin_logf(x); }
SIM_MATH float log2f(float x) { return __builtin_log2f(x); }
SIM_MATH float log10f(float x) { return __builtin_log10f(x); }
SIM_MATH float powf(float x, float y) { return __builtin_powf(x, y); }
SIM_MATH float sinf(float x) { return __builtin_sinf(x); }
SIM_MATH float cosf(float x) { return __builtin_cosf(x); }
SIM_MATH float tanf(float x) { return __builtin_tanf(x); }
SIM_MATH float tanhf(float x) { return __builtin_tanhf(x); }
SIM_MATH void sincosf(float x, float* s, float* c) { *s = __builtin_sinf(x), *c = __builtin_cosf(x); }
}  // namespace sim::fast
// The C library declares functions of these names for itself, so they can only be macros here.
#define __expf ::sim::fast::expf
#define __exp10f ::sim::fast::exp10f
#define __logf ::sim::fast::logf
#define __log2f ::sim::fast::log2f
#define __log10f ::sim::fast::log10f
#define __powf ::sim::fast::powf
#define __sinf ::sim::fast::sinf
#define __cosf ::sim::fast::cosf
#define __tanf ::sim::fast::tanf
#define __tanhf ::sim::fast::tanhf
#define __sincosf ::sim::fast::sincosf

#define SIM_MIN_MAX(A, B, R)                                                              \
  SIM_MATH R min(const A a, const B b) {                                                  \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  SIM_MATH R max(const A a, const B b) {                                                  \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
SIM_MIN_MAX(int, int, int)
SIM_MIN_MAX(unsigned, unsigned, unsigned)
SIM_MIN_MAX(int, unsigned, unsigned)
SIM_MIN_MAX(unsigned, int, unsigned)
SIM_MIN_MAX(long, long, long)
SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIM_MIN_MAX(long, unsigned long, unsigned long)
SIM_MIN_MAX(unsigned long, long, unsigned long)
SIM_MIN_MAX(long long, long long, long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef SIM_MIN_MAX
// A NaN operand gives the other one, as fmin does.
SIM_MATH float min(float a, float b) { return __builtin_fminf(a, b); }
SIM_MATH float max(float a, float b) { return __builtin_fmaxf(a, b); }
SIM_MATH double min(double a, double b) { return __builtin_fmin(a, b); }
SIM_MATH double max(double a, double b) { return __builtin_fmax(a, b); }
SIM_MATH double min(float a, double b) { return __builtin_fmin(a, b); }
SIM_MATH double max(float a, double b) { return __builtin_fmax(a, b); }
SIM_MATH double min(double a, float b) { return __builtin_fmin(a, b); }
SIM_MATH double max(double a, float b) { return __builtin_fmax(a, b); }
SIM_MATH unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
SIM_MATH unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
SIM_MATH long long llmin(long long a, long long b) { return a < b ? a : b; }
SIM_MATH long long llmax(long long a, long long b) { return a > b ? a : b; }

// Cached loads and stores read and write as plain ones do.
#define SIM_LOAD(name)                                         \
  template <class T>                                           \
  SIM_MATH __attribute__((always_inline)) T name(const T* p) { \
    return *p;                                                 \
  }
SIM_LOAD(__ldg)
SIM_LOAD(__ldca)
SIM_LOAD(__ldcg)
SIM_LOAD(__ldcs)
SIM_LOAD(__ldlu)
SIM_LOAD(__ldcv)
#undef SIM_LOAD
#define SIM_STORE(name)                                              \
  template <class T>                                                 \
  SIM_MATH __attribute__((always_inline)) void name(T* p, T value) { \
    *p = value;                                                      \
  }
SIM_STORE(__stwb)
SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwt)
#undef SIM_STORE
