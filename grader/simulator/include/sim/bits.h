// CUDA's integer intrinsics: reinterpretation, bit counts, byte permutation, wide products.
#pragma once
#include <limits.h>
#include <stdint.h>

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
// The place of the `offset`-th set bit from `base`, upwards for a positive offset; ~0 where there is none.
SIM_MATH unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) && --left == 0) return static_cast<unsigned>(i);
  return 0xffffffffu;
}
// Each selector's low three bits name a byte; the fourth spreads that byte's sign.
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
SIM_MATH unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
SIM_MATH unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
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
  return static_cast<int>(static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(a) << 8) >> 8) *
                          static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(b) << 8) >> 8));
}
SIM_MATH unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
SIM_MATH unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                    : static_cast<unsigned>(b) - static_cast<unsigned>(a));
}
SIM_MATH unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
SIM_MATH int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
SIM_MATH int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
SIM_MATH unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) + b) >> 1);
}
SIM_MATH unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) + b + 1) >> 1);
}

namespace sim::detail {

// Four products of bytes added to `c`, which wraps.
template <class Byte, class T>
SIM_MATH T dot4(unsigned a, unsigned b, T c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<unsigned>(static_cast<Byte>(a >> i) * static_cast<Byte>(b >> i));
  return static_cast<T>(sum);
}

// Two products of 16 bits by 8, the bytes from the lower or upper half of `b`.
template <class Short, class Byte, class T>
SIM_MATH T dot2(unsigned a, unsigned b, T c, int first) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 2; ++i)
    sum += static_cast<unsigned>(static_cast<Short>(a >> 16 * i) * static_cast<Byte>(b >> (first + 8 * i)));
  return static_cast<T>(sum);
}

}  // namespace sim::detail

#define SIM_DOT(T, Short, Byte, V2, V4)                                                                      \
  SIM_MATH T __dp4a(T a, T b, T c) { return sim::detail::dot4<Byte>(unsigned(a), unsigned(b), c); }          \
  SIM_MATH T __dp4a(V4 a, V4 b, T c) {                                                                       \
    return sim::detail::dot4<Byte>(sim::detail::bits_as<unsigned>(a), sim::detail::bits_as<unsigned>(b), c); \
  }                                                                                                          \
  SIM_MATH T __dp2a_lo(T a, T b, T c) {                                                                      \
    return sim::detail::dot2<Short, Byte>(unsigned(a), unsigned(b), c, 0);                                   \
  }                                                                                                          \
  SIM_MATH T __dp2a_hi(T a, T b, T c) {                                                                      \
    return sim::detail::dot2<Short, Byte>(unsigned(a), unsigned(b), c, 16);                                  \
  }                                                                                                          \
  SIM_MATH T __dp2a_lo(V2 a, V4 b, T c) {                                                                    \
    return sim::detail::dot2<Short, Byte>(sim::detail::bits_as<unsigned>(a),                                 \
                                          sim::detail::bits_as<unsigned>(b), c, 0);                          \
  }                                                                                                          \
  SIM_MATH T __dp2a_hi(V2 a, V4 b, T c) {                                                                    \
    return sim::detail::dot2<Short, Byte>(sim::detail::bits_as<unsigned>(a),                                 \
                                          sim::detail::bits_as<unsigned>(b), c, 16);                         \
  }
SIM_DOT(int, int16_t, int8_t, short2, char4)
SIM_DOT(unsigned, uint16_t, uint8_t, ushort2, uchar4)
#undef SIM_DOT
