// CUDA's half precision type: IEEE 754 binary16, rounded to nearest even.
#pragma once
#include "sim/half_conversions.h"

namespace sim::detail {

// Rounds once, from double, so that an integer or a fused product is not rounded twice.
SIM_MATH uint16_t encode_half(double x) {
  const uint64_t bits = bits_as<uint64_t>(x);
  const uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  const double magnitude = __builtin_fabs(x);
  if (x != x) return 0x7fff;
  if (magnitude >= 65520.0) return sign | 0x7c00;
  if (magnitude < 0x1p-14) return sign | static_cast<uint16_t>(__builtin_nearbyint(magnitude * 0x1p24));
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const uint64_t mantissa = (bits & 0xfffffffffffffull) | 1ull << 52;
  uint64_t kept = mantissa >> 42;
  const uint64_t rest = mantissa & ((1ull << 42) - 1), half = 1ull << 41;
  kept += rest > half || (rest == half && (kept & 1));
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + kept));
}

SIM_MATH float decode_half(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, exponent = h >> 10 & 31,
                 mantissa = h & 0x3ff;
  if (exponent == 31) return bits_as<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent) return bits_as<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -small : small;
}

}  // namespace sim::detail

#ifdef __CUDA_NO_HALF_CONVERSIONS__
SIM_HALF_CLASS(__half, __half2, __half_raw, __half2_raw, c10::Half, , sim::detail::encode_half,
               sim::detail::decode_half)
#else
SIM_HALF_CLASS(__half, __half2, __half_raw, __half2_raw, c10::Half, , sim::detail::encode_half,
               sim::detail::decode_half, SIM_HALF_IMPLICIT(__half))
#endif
SIM_HALF_ARITHMETIC(__half, __half2)
SIM_HALF_COMPARISONS(__half, __half2)
SIM_HALF_FUNCTIONS(__half, __half2)
SIM_HALF_CONVERSIONS(__half, __half2, half, 10, -14, 65504.0)
SIM_HALF_SHUFFLES(__half)
SIM_HALF_SHUFFLES(__half2)
#ifndef __CUDA_NO_HALF_OPERATORS__
SIM_HALF_OPERATORS(__half)
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
SIM_HALF2_OPERATORS(__half2, __half::of(1))
#endif
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
SIM_MATH __half2 make_half2(__half x, __half y) { return __half2(x, y); }
#define CUDART_INF_FP16 __ushort_as_half(0x7C00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFF)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFF)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00)
