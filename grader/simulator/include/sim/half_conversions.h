// The conversions whose names carry the type: __float2half and __float2bfloat16, __half2int_rn and its kin.
#pragma once
#include "half_functions.h"

#define SIM_HALF_ROUNDED(H, mantissa, least, largest, to, from, From)                                  \
  SIM_MATH H __##from##2##to##_rn(From x) { return H::of(static_cast<double>(x)); }                    \
  SIM_MATH H __##from##2##to##_rz(From x) {                                                            \
    return H::of(                                                                                      \
        sim::detail::rounded_to(sim::Rounding::rz, static_cast<double>(x), mantissa, least, largest)); \
  }                                                                                                    \
  SIM_MATH H __##from##2##to##_rd(From x) {                                                            \
    return H::of(                                                                                      \
        sim::detail::rounded_to(sim::Rounding::rd, static_cast<double>(x), mantissa, least, largest)); \
  }                                                                                                    \
  SIM_MATH H __##from##2##to##_ru(From x) {                                                            \
    return H::of(                                                                                      \
        sim::detail::rounded_to(sim::Rounding::ru, static_cast<double>(x), mantissa, least, largest)); \
  }
#define SIM_HALF_TO(H, from, to, To)                                                                      \
  SIM_MATH To __##from##2##to##_rn(H x) { return sim::detail::saturate<To>(__builtin_rint(x.value())); }  \
  SIM_MATH To __##from##2##to##_rz(H x) { return sim::detail::saturate<To>(__builtin_trunc(x.value())); } \
  SIM_MATH To __##from##2##to##_rd(H x) { return sim::detail::saturate<To>(__builtin_floor(x.value())); } \
  SIM_MATH To __##from##2##to##_ru(H x) { return sim::detail::saturate<To>(__builtin_ceil(x.value())); }

#define SIM_HALF_CONVERSIONS(H, H2, half, mantissa, least, largest)                                         \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, float, float)                                         \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, int, int)                                             \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, uint, unsigned)                                       \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, short, short)                                         \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, ushort, unsigned short)                               \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, ll, long long)                                        \
  SIM_HALF_ROUNDED(H, mantissa, least, largest, half, ull, unsigned long long)                              \
  SIM_HALF_TO(H, half, int, int)                                                                            \
  SIM_HALF_TO(H, half, uint, unsigned)                                                                      \
  SIM_HALF_TO(H, half, short, short)                                                                        \
  SIM_HALF_TO(H, half, ushort, unsigned short)                                                              \
  SIM_HALF_TO(H, half, ll, long long)                                                                       \
  SIM_HALF_TO(H, half, ull, unsigned long long)                                                             \
  SIM_MATH signed char __##half##2char_rz(H x) {                                                            \
    return sim::detail::saturate<signed char>(__builtin_trunc(x.value()));                                  \
  }                                                                                                         \
  SIM_MATH unsigned char __##half##2uchar_rz(H x) {                                                         \
    return sim::detail::saturate<unsigned char>(__builtin_trunc(x.value()));                                \
  }                                                                                                         \
  SIM_MATH H __float2##half(float x) { return H::of(x); }                                                   \
  SIM_MATH H __double2##half(double x) { return H::of(x); }                                                 \
  SIM_MATH float __##half##2float(H x) { return x.value(); }                                                \
  SIM_MATH unsigned short __##half##_as_ushort(H x) { return x.bits; }                                      \
  SIM_MATH short __##half##_as_short(H x) { return static_cast<short>(x.bits); }                            \
  SIM_MATH H __ushort_as_##half(unsigned short bits) { return typename sim::detail::RawOf<H>::type{bits}; } \
  SIM_MATH H __short_as_##half(short bits) { return __ushort_as_##half(static_cast<uint16_t>(bits)); }      \
  SIM_MATH H2 __float2##half##2_rn(float x) { return H2(H::of(x), H::of(x)); }                              \
  SIM_MATH H2 __floats2##half##2_rn(float x, float y) { return H2(H::of(x), H::of(y)); }                    \
  SIM_MATH H2 __float22##half##2_rn(float2 v) { return H2(H::of(v.x), H::of(v.y)); }                        \
  SIM_MATH float2 __##half##22float2(H2 v) { return float2{v.x.value(), v.y.value()}; }                     \
  SIM_MATH H2 __##half##2##half##2(H x) { return H2(x, x); }                                                \
  SIM_MATH H2 __halves2##half##2(H x, H y) { return H2(x, y); }                                             \
  SIM_MATH H2 __lows2##half##2(H2 a, H2 b) { return H2(a.x, b.x); }                                         \
  SIM_MATH H2 __highs2##half##2(H2 a, H2 b) { return H2(a.y, b.y); }                                        \
  SIM_MATH H2 __low2##half##2(H2 v) { return H2(v.x, v.x); }                                                \
  SIM_MATH H2 __high2##half##2(H2 v) { return H2(v.y, v.y); }                                               \
  SIM_MATH H2 __lowhigh2highlow(H2 v) { return H2(v.y, v.x); }                                              \
  SIM_MATH H __low2##half(H2 v) { return v.x; }                                                             \
  SIM_MATH H __high2##half(H2 v) { return v.y; }                                                            \
  SIM_MATH float __low2float(H2 v) { return v.x.value(); }                                                  \
  SIM_MATH float __high2float(H2 v) { return v.y.value(); }
