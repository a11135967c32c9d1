// The operations that CUDA's two 16-bit float types share.  They compute in float and round once.
#pragma once
#include "math.h"
#include "thread.h"

#define SIM_HALF_OPERATORS(H, H2)                                        \
  SIM_MATH H operator+(H a, H b) { return H(float(a) + float(b)); }      \
  SIM_MATH H operator-(H a, H b) { return H(float(a) - float(b)); }      \
  SIM_MATH H operator*(H a, H b) { return H(float(a) * float(b)); }      \
  SIM_MATH H operator/(H a, H b) { return H(float(a) / float(b)); }      \
  SIM_MATH H operator-(H a) { return H(-float(a)); }                     \
  SIM_MATH H operator+(H a) { return a; }                                \
  SIM_MATH H& operator+=(H& a, H b) { return a = a + b; }                \
  SIM_MATH H& operator-=(H& a, H b) { return a = a - b; }                \
  SIM_MATH H& operator*=(H& a, H b) { return a = a * b; }                \
  SIM_MATH H& operator/=(H& a, H b) { return a = a / b; }                \
  SIM_MATH bool operator==(H a, H b) { return float(a) == float(b); }    \
  SIM_MATH bool operator!=(H a, H b) { return float(a) != float(b); }    \
  SIM_MATH bool operator<(H a, H b) { return float(a) < float(b); }      \
  SIM_MATH bool operator>(H a, H b) { return float(a) > float(b); }      \
  SIM_MATH bool operator<=(H a, H b) { return float(a) <= float(b); }    \
  SIM_MATH bool operator>=(H a, H b) { return float(a) >= float(b); }    \
  SIM_MATH H2 operator+(H2 a, H2 b) { return H2(a.x + b.x, a.y + b.y); } \
  SIM_MATH H2 operator-(H2 a, H2 b) { return H2(a.x - b.x, a.y - b.y); } \
  SIM_MATH H2 operator*(H2 a, H2 b) { return H2(a.x * b.x, a.y * b.y); } \
  SIM_MATH H2 operator/(H2 a, H2 b) { return H2(a.x / b.x, a.y / b.y); } \
  SIM_MATH H2 operator-(H2 a) { return H2(-a.x, -a.y); }                 \
  SIM_MATH H2& operator+=(H2& a, H2 b) { return a = a + b; }             \
  SIM_MATH H2& operator-=(H2& a, H2 b) { return a = a - b; }             \
  SIM_MATH H2& operator*=(H2& a, H2 b) { return a = a * b; }

#define SIM_HALF_ARITHMETIC(H, H2)                                                                   \
  SIM_MATH H __hadd(H a, H b) { return a + b; }                                                      \
  SIM_MATH H __hsub(H a, H b) { return a - b; }                                                      \
  SIM_MATH H __hmul(H a, H b) { return a * b; }                                                      \
  SIM_MATH H __hdiv(H a, H b) { return a / b; }                                                      \
  SIM_MATH H __hneg(H a) { return -a; }                                                              \
  SIM_MATH H __habs(H a) { return H(__builtin_fabsf(float(a))); }                                    \
  SIM_MATH H __hfma(H a, H b, H c) {                                                                 \
    return H(__builtin_fma(double(float(a)), double(float(b)), double(float(c))));                   \
  }                                                                                                  \
  SIM_MATH H __hmax(H a, H b) { return H(__builtin_fmaxf(float(a), float(b))); }                     \
  SIM_MATH H __hmin(H a, H b) { return H(__builtin_fminf(float(a), float(b))); }                     \
  SIM_MATH bool __heq(H a, H b) { return a == b; }                                                   \
  SIM_MATH bool __hne(H a, H b) { return float(a) < float(b) || float(a) > float(b); }               \
  SIM_MATH bool __hlt(H a, H b) { return a < b; }                                                    \
  SIM_MATH bool __hle(H a, H b) { return a <= b; }                                                   \
  SIM_MATH bool __hgt(H a, H b) { return a > b; }                                                    \
  SIM_MATH bool __hge(H a, H b) { return a >= b; }                                                   \
  SIM_MATH bool __hisnan(H a) { return float(a) != float(a); }                                       \
  SIM_MATH int __hisinf(H a) { return __builtin_isinf_sign(float(a)); }                              \
  SIM_MATH H2 __hadd2(H2 a, H2 b) { return a + b; }                                                  \
  SIM_MATH H2 __hsub2(H2 a, H2 b) { return a - b; }                                                  \
  SIM_MATH H2 __hmul2(H2 a, H2 b) { return a * b; }                                                  \
  SIM_MATH H2 __h2div(H2 a, H2 b) { return a / b; }                                                  \
  SIM_MATH H2 __hneg2(H2 a) { return -a; }                                                           \
  SIM_MATH H2 __habs2(H2 a) { return H2(__habs(a.x), __habs(a.y)); }                                 \
  SIM_MATH H2 __hfma2(H2 a, H2 b, H2 c) { return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
  SIM_MATH H2 __hmax2(H2 a, H2 b) { return H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                 \
  SIM_MATH H2 __hmin2(H2 a, H2 b) { return H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                 \
  SIM_MATH H hexp(H a) { return H(__builtin_expf(float(a))); }                                       \
  SIM_MATH H hexp2(H a) { return H(__builtin_exp2f(float(a))); }                                     \
  SIM_MATH H hlog(H a) { return H(__builtin_logf(float(a))); }                                       \
  SIM_MATH H hlog2(H a) { return H(__builtin_log2f(float(a))); }                                     \
  SIM_MATH H hsqrt(H a) { return H(__builtin_sqrtf(float(a))); }                                     \
  SIM_MATH H hrsqrt(H a) { return H(rsqrtf(float(a))); }                                             \
  SIM_MATH H hrcp(H a) { return H(1.0f / float(a)); }                                                \
  SIM_MATH H hsin(H a) { return H(__builtin_sinf(float(a))); }                                       \
  SIM_MATH H hcos(H a) { return H(__builtin_cosf(float(a))); }                                       \
  SIM_MATH H htanh(H a) { return H(__builtin_tanhf(float(a))); }                                     \
  SIM_MATH H hfloor(H a) { return H(__builtin_floorf(float(a))); }                                   \
  SIM_MATH H hceil(H a) { return H(__builtin_ceilf(float(a))); }                                     \
  SIM_MATH H htrunc(H a) { return H(__builtin_truncf(float(a))); }                                   \
  SIM_MATH H hrint(H a) { return H(__builtin_rintf(float(a))); }                                     \
  SIM_MATH H2 h2exp(H2 a) { return H2(hexp(a.x), hexp(a.y)); }                                       \
  SIM_MATH H2 h2sqrt(H2 a) { return H2(hsqrt(a.x), hsqrt(a.y)); }                                    \
  SIM_MATH H2 h2rsqrt(H2 a) { return H2(hrsqrt(a.x), hrsqrt(a.y)); }                                 \
  H atomicAdd(H* address, H value);                                                                  \
  H2 atomicAdd(H2* address, H2 value);

// The names that carry the type: __float2half and __float2bfloat16.
#define SIM_HALF_CONVERSIONS(H, H2, half, halves)                                                \
  SIM_MATH H __float2##half(float x) { return H(x); }                                            \
  SIM_MATH H __float2##half##_rn(float x) { return H(x); }                                       \
  SIM_MATH H __double2##half(double x) { return H(x); }                                          \
  SIM_MATH float __##half##2float(H x) { return float(x); }                                      \
  SIM_MATH H __int2##half##_rn(int x) { return H(double(x)); }                                   \
  SIM_MATH H __uint2##half##_rn(unsigned x) { return H(double(x)); }                             \
  SIM_MATH int __##half##2int_rn(H x) { return __float2int_rn(float(x)); }                       \
  SIM_MATH int __##half##2int_rz(H x) { return __float2int_rz(float(x)); }                       \
  SIM_MATH int __##half##2int_rd(H x) { return __float2int_rd(float(x)); }                       \
  SIM_MATH int __##half##2int_ru(H x) { return __float2int_ru(float(x)); }                       \
  SIM_MATH unsigned short __##half##_as_ushort(H x) { return x.bits; }                           \
  SIM_MATH short __##half##_as_short(H x) { return static_cast<short>(x.bits); }                 \
  SIM_MATH H __ushort_as_##half(unsigned short bits) { return H::from_bits(bits); }              \
  SIM_MATH H __short_as_##half(short bits) { return H::from_bits(static_cast<uint16_t>(bits)); } \
  SIM_MATH H2 __float2##half##2_rn(float x) { return H2(H(x), H(x)); }                           \
  SIM_MATH H2 __floats2##half##2_rn(float x, float y) { return H2(H(x), H(y)); }                 \
  SIM_MATH H2 __float22##half##2_rn(float2 v) { return H2(H(v.x), H(v.y)); }                     \
  SIM_MATH float2 __##half##22float2(H2 v) { return float2{float(v.x), float(v.y)}; }            \
  SIM_MATH H2 __##half##2##half##2(H x) { return H2(x, x); }                                     \
  SIM_MATH H2 __halves2##half##2(H x, H y) { return H2(x, y); }                                  \
  SIM_MATH H __low2##half(H2 v) { return v.x; }                                                  \
  SIM_MATH H __high2##half(H2 v) { return v.y; }                                                 \
  SIM_MATH float __low2float(H2 v) { return float(v.x); }                                        \
  SIM_MATH float __high2float(H2 v) { return float(v.y); }

namespace c10 {
struct Half;
struct BFloat16;
}  // namespace c10

namespace sim::detail {
// torch's own conversions to CUDA's types exist only under __CUDACC__.
#ifdef __CUDACC__
template <class T, class C10>
constexpr bool is_torch_half = false;
#else
template <class T, class C10>
constexpr bool is_torch_half = std::is_same_v<T, C10>;
#endif
}  // namespace sim::detail

// A class of 16 bits that converts from every number and to float, as CUDA's own do.
#define SIM_HALF_CLASS(H, H2, C10, encode, decode)                                    \
  struct __attribute__((aligned(2))) H {                                              \
    uint16_t bits;                                                                    \
    H() = default;                                                                    \
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>             \
    H(T x) : bits(encode(x)) {}                                                       \
    template <class T, std::enable_if_t<sim::detail::is_torch_half<T, C10>, int> = 0> \
    H(T x) : bits(x.x) {}                                                             \
    template <class T, std::enable_if_t<sim::detail::is_torch_half<T, C10>, int> = 0> \
    operator T() const {                                                              \
      T t;                                                                            \
      t.x = bits;                                                                     \
      return t;                                                                       \
    }                                                                                 \
    operator float() const { return decode(bits); }                                   \
    static H from_bits(uint16_t b) {                                                  \
      H h;                                                                            \
      h.bits = b;                                                                     \
      return h;                                                                       \
    }                                                                                 \
    H& operator++() { return *this = H(float(*this) + 1.0f); }                        \
    H& operator--() { return *this = H(float(*this) - 1.0f); }                        \
  };                                                                                  \
  struct __attribute__((aligned(4))) H2 {                                             \
    H x, y;                                                                           \
    H2() = default;                                                                   \
    H2(H a, H b) : x(a), y(b) {}                                                      \
  };
