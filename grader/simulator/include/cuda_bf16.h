// CUDA's bfloat16: the upper half of a float, rounded to nearest even.
#pragma once
#include "sim/half_operations.h"

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

SIM_HALF_CLASS(__nv_bfloat16, __nv_bfloat162, c10::BFloat16, sim::detail::encode_bfloat16,
               sim::detail::decode_bfloat16)
SIM_HALF_OPERATORS(__nv_bfloat16, __nv_bfloat162)
SIM_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
SIM_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
SIM_MATH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
