// CUDA's bfloat16: the upper half of a float, rounded to nearest even.
#pragma once
#include "cuda_fp16.h"
#include "sim/half_conversions.h"

namespace sim::detail {

// To odd first, so that the second rounding, to 8 bits, is the only one that counts.
SIM_MATH uint16_t encode_bfloat16(double x) {
  if (x != x) return 0x7fff;
  float narrow = static_cast<float>(x);
  uint32_t bits = bits_as<uint32_t>(narrow);
  const double error = x - static_cast<double>(narrow);
  if (error != 0 && __builtin_isfinite(narrow) && (bits & 0xffff) == 0x8000)
    bits += (error > 0) == (x > 0) ? 1 : -1;
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

SIM_MATH float decode_bfloat16(uint16_t b) { return bits_as<float>(static_cast<uint32_t>(b) << 16); }

}  // namespace sim::detail

#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
SIM_HALF_CLASS(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw, c10::BFloat16, explicit,
               sim::detail::encode_bfloat16, sim::detail::decode_bfloat16)
#else
SIM_HALF_CLASS(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw, c10::BFloat16, explicit,
               sim::detail::encode_bfloat16, sim::detail::decode_bfloat16, SIM_HALF_IMPLICIT(__nv_bfloat16))
#endif
SIM_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
SIM_HALF_COMPARISONS(__nv_bfloat16, __nv_bfloat162)
SIM_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
SIM_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, 7, -126, 0x1.fep127)
SIM_HALF_SHUFFLES(__nv_bfloat16)
SIM_HALF_SHUFFLES(__nv_bfloat162)
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
SIM_HALF_OPERATORS(__nv_bfloat16)
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
SIM_HALF2_OPERATORS(__nv_bfloat162, __nv_bfloat16::of(1))
#endif
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
SIM_MATH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7F80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7FFF)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7F7F)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3F80)
