// CUDA's mathematical functions beyond the C library, the fast intrinsics, min and max.
// The fast intrinsics are computed exactly: a right answer may not depend on their error.
#pragma once
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "rounding.h"

namespace sim::special {

// In the runtime, in double.
double erfinv(double);
double erfcinv(double);
double erfcx(double);
double normcdfinv(double);
double sinpi(double);
double cospi(double);
double cyl_bessel_i0(double);
double cyl_bessel_i1(double);
double norm(int count, const double* values);

}  // namespace sim::special

#define SIM_SPECIAL(name)                                          \
  SIM_MATH double name(double x) { return sim::special::name(x); } \
  SIM_MATH float name##f(float x) { return static_cast<float>(sim::special::name(x)); }
SIM_SPECIAL(erfinv)
SIM_SPECIAL(erfcinv)
SIM_SPECIAL(erfcx)
SIM_SPECIAL(normcdfinv)
SIM_SPECIAL(cyl_bessel_i0)
SIM_SPECIAL(cyl_bessel_i1)
// C23's library declares some of CUDA's names.
#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 41)
SIM_SPECIAL(sinpi)
SIM_SPECIAL(cospi)
#endif
#undef SIM_SPECIAL
#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 42)
SIM_MATH float rsqrtf(float x) { return __frsqrt_rn(x); }
SIM_MATH double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
#endif
SIM_MATH float rsqrt(float x) { return __frsqrt_rn(x); }
SIM_MATH void sincospi(double x, double* s, double* c) {
  *s = sim::special::sinpi(x), *c = sim::special::cospi(x);
}
SIM_MATH void sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(sim::special::sinpi(x)), *c = static_cast<float>(sim::special::cospi(x));
}
SIM_MATH void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
SIM_MATH void sincos(float x, float* s, float* c) { *s = __builtin_sinf(x), *c = __builtin_cosf(x); }

SIM_MATH double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
SIM_MATH float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
SIM_MATH double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
SIM_MATH float rcbrtf(float x) { return static_cast<float>(rcbrt(static_cast<double>(x))); }
SIM_MATH double rhypot(double a, double b) { return 1.0 / __builtin_hypot(a, b); }
SIM_MATH float rhypotf(float a, float b) { return static_cast<float>(1.0 / __builtin_hypot(a, b)); }

// In double, where the squares of floats neither overflow nor vanish.
#define SIM_NORM(name, rname, parameters, ...)                                          \
  SIM_MATH double name parameters(double) {                                             \
    const double all[] = {__VA_ARGS__};                                                 \
    return sim::special::norm(sizeof all / sizeof *all, all);                           \
  }                                                                                     \
  SIM_MATH double rname parameters(double) {                                            \
    const double all[] = {__VA_ARGS__};                                                 \
    return 1.0 / sim::special::norm(sizeof all / sizeof *all, all);                     \
  }                                                                                     \
  SIM_MATH float name##f parameters(float) {                                            \
    const double all[] = {__VA_ARGS__};                                                 \
    return static_cast<float>(sim::special::norm(sizeof all / sizeof *all, all));       \
  }                                                                                     \
  SIM_MATH float rname##f parameters(float) {                                           \
    const double all[] = {__VA_ARGS__};                                                 \
    return static_cast<float>(1.0 / sim::special::norm(sizeof all / sizeof *all, all)); \
  }
#define SIM_THREE(T) (T a, T b, T c)
#define SIM_FOUR(T) (T a, T b, T c, T d)
SIM_NORM(norm3d, rnorm3d, SIM_THREE, a, b, c)
SIM_NORM(norm4d, rnorm4d, SIM_FOUR, a, b, c, d)
#undef SIM_NORM
#undef SIM_THREE
#undef SIM_FOUR
SIM_MATH double norm(int count, const double* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = __builtin_hypot(sum, values[i]);
  return sum;
}
SIM_MATH float normf(int count, const float* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
  return static_cast<float>(__builtin_sqrt(sum));
}
SIM_MATH double rnorm(int count, const double* values) { return 1.0 / norm(count, values); }
SIM_MATH float rnormf(int count, const float* values) { return 1.0f / normf(count, values); }

SIM_MATH float __fdividef(float a, float b) {
  // A divisor beyond 2^126 gives 0.
  return __builtin_fabsf(b) > 0x1p126f && !__builtin_isnan(a) && !__builtin_isinf(a) ? 0.0f : a / b;
}
SIM_MATH float fdividef(float a, float b) { return a / b; }
SIM_MATH double fdivide(double a, double b) { return a / b; }
SIM_MATH float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

namespace sim::fast {
SIM_MATH float expf(float x) { return __builtin_expf(x); }
SIM_MATH float exp10f(float x) { return static_cast<float>(__builtin_pow(10.0, x)); }
SIM_MATH float logf(float x) { return __builtin_logf(x); }
SIM_MATH float log2f(float x) { return __builtin_log2f(x); }
SIM_MATH float log10f(float x) { return __builtin_log10f(x); }
// By way of the logarithm, as CUDA's: NaN for a negative base, whatever the exponent.
SIM_MATH float powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
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
SIM_MATH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
SIM_MATH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
