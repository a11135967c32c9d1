// The functions that CUDA's two 16-bit float types share.  They compute in float or double and round once.
#pragma once
#include "half_class.h"

#define SIM_PAIR_1(H2, pair, one) \
  SIM_MATH H2 pair(const H2 a) { return H2(one(a.x), one(a.y)); }
#define SIM_PAIR_2(H2, pair, one) \
  SIM_MATH H2 pair(const H2 a, const H2 b) { return H2(one(a.x, b.x), one(a.y, b.y)); }
#define SIM_PAIR_3(H2, pair, one) \
  SIM_MATH H2 pair(const H2 a, const H2 b, const H2 c) { return H2(one(a.x, b.x, c.x), one(a.y, b.y, c.y)); }

// A binary operation with its variants: plain, _rn (never fused), _sat (clamped to [0, 1]), and in pairs.
#define SIM_HALF_BINARY(H, H2, name, expression)                                              \
  SIM_MATH H __h##name(const H a, const H b) { return H::of(expression); }                    \
  SIM_MATH H __h##name##_rn(const H a, const H b) { return H::of(expression); }               \
  SIM_MATH H __h##name##_sat(const H a, const H b) { return H::of(__saturatef(expression)); } \
  SIM_PAIR_2(H2, __h##name##2, __h##name)                                                     \
  SIM_PAIR_2(H2, __h##name##2_rn, __h##name)                                                  \
  SIM_PAIR_2(H2, __h##name##2_sat, __h##name##_sat)

#define SIM_HALF_ARITHMETIC(H, H2)                                                                       \
  SIM_HALF_BINARY(H, H2, add, a.value() + b.value())                                                     \
  SIM_HALF_BINARY(H, H2, sub, a.value() - b.value())                                                     \
  SIM_HALF_BINARY(H, H2, mul, a.value() * b.value())                                                     \
  SIM_MATH H __hdiv(const H a, const H b) { return H::of(a.value() / b.value()); }                       \
  SIM_PAIR_2(H2, __h2div, __hdiv)                                                                        \
  SIM_MATH H __hneg(const H a) { return H::of(-a.value()); }                                             \
  SIM_PAIR_1(H2, __hneg2, __hneg)                                                                        \
  SIM_MATH H __habs(const H a) { return H::of(__builtin_fabsf(a.value())); }                             \
  SIM_PAIR_1(H2, __habs2, __habs)                                                                        \
  SIM_MATH H __hfma(const H a, const H b, const H c) {                                                   \
    return H::of(__builtin_fma(double(a.value()), double(b.value()), double(c.value())));                \
  }                                                                                                      \
  SIM_MATH H __hfma_sat(const H a, const H b, const H c) {                                               \
    return H::of(__saturatef(__hfma(a, b, c).value()));                                                  \
  }                                                                                                      \
  SIM_MATH H __hfma_relu(const H a, const H b, const H c) {                                              \
    const H r = __hfma(a, b, c);                                                                         \
    return r.value() < 0 ? H::of(0) : r;                                                                 \
  }                                                                                                      \
  SIM_PAIR_3(H2, __hfma2, __hfma)                                                                        \
  SIM_PAIR_3(H2, __hfma2_sat, __hfma_sat)                                                                \
  SIM_PAIR_3(H2, __hfma2_relu, __hfma_relu)                                                              \
  SIM_MATH H2 __hcmadd(const H2 a, const H2 b, const H2 c) {                                             \
    return H2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
  }                                                                                                      \
  SIM_MATH bool __hisnan(const H a) { return a.value() != a.value(); }                                   \
  SIM_MATH int __hisinf(const H a) { return __builtin_isinf_sign(a.value()); }                           \
  SIM_MATH H2 __hisnan2(const H2 a) { return H2(H::of(__hisnan(a.x)), H::of(__hisnan(a.y))); }           \
  /* Of two zeros the maximum is +0; a NaN loses against a number. */                                    \
  SIM_MATH H __hmax(const H a, const H b) {                                                              \
    if (a.value() == b.value()) return typename sim::detail::RawOf<H>::type{uint16_t(a.bits & b.bits)};  \
    return H::of(__builtin_fmaxf(a.value(), b.value()));                                                 \
  }                                                                                                      \
  SIM_MATH H __hmin(const H a, const H b) {                                                              \
    if (a.value() == b.value()) return typename sim::detail::RawOf<H>::type{uint16_t(a.bits | b.bits)};  \
    return H::of(__builtin_fminf(a.value(), b.value()));                                                 \
  }                                                                                                      \
  SIM_MATH H __hmax_nan(const H a, const H b) {                                                          \
    return __hisnan(a) || __hisnan(b) ? H::of(__builtin_nan("")) : __hmax(a, b);                         \
  }                                                                                                      \
  SIM_MATH H __hmin_nan(const H a, const H b) {                                                          \
    return __hisnan(a) || __hisnan(b) ? H::of(__builtin_nan("")) : __hmin(a, b);                         \
  }                                                                                                      \
  SIM_PAIR_2(H2, __hmax2, __hmax)                                                                        \
  SIM_PAIR_2(H2, __hmin2, __hmin)                                                                        \
  SIM_PAIR_2(H2, __hmax2_nan, __hmax_nan)                                                                \
  SIM_PAIR_2(H2, __hmin2_nan, __hmin_nan)

// A comparison in its six forms: one, both (bool), each (1 or 0), each (mask), and the unordered kin, which
// are true for NaN.
#define SIM_HALF_COMPARED(H, H2, name, expression)                                                           \
  SIM_MATH bool __h##name(const H a, const H b) { return expression; }                                       \
  SIM_MATH bool __hb##name##2(const H2 a, const H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
  SIM_MATH H2 __h##name##2(const H2 a, const H2 b) {                                                         \
    return H2(H::of(__h##name(a.x, b.x)), H::of(__h##name(a.y, b.y)));                                       \
  }                                                                                                          \
  SIM_MATH unsigned __h##name##2_mask(const H2 a, const H2 b) {                                              \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                  \
  }
#define SIM_HALF_COMPARISON(H, H2, name, operation)                                             \
  SIM_HALF_COMPARED(H, H2, name, !__hisnan(a) && !__hisnan(b) && a.value() operation b.value()) \
  SIM_HALF_COMPARED(H, H2, name##u, __hisnan(a) || __hisnan(b) || a.value() operation b.value())
#define SIM_HALF_COMPARISONS(H, H2)  \
  SIM_HALF_COMPARISON(H, H2, eq, ==) \
  SIM_HALF_COMPARISON(H, H2, ne, !=) \
  SIM_HALF_COMPARISON(H, H2, lt, <)  \
  SIM_HALF_COMPARISON(H, H2, le, <=) \
  SIM_HALF_COMPARISON(H, H2, gt, >)  \
  SIM_HALF_COMPARISON(H, H2, ge, >=)

#define SIM_HALF_FUNCTION(H, H2, name, expression) \
  SIM_MATH H h##name(const H a) {                  \
    const double x = a.value();                    \
    return H::of(expression);                      \
  }                                                \
  SIM_PAIR_1(H2, h2##name, h##name)
#define SIM_HALF_FUNCTIONS(H, H2)                          \
  SIM_HALF_FUNCTION(H, H2, exp, __builtin_exp(x))          \
  SIM_HALF_FUNCTION(H, H2, exp2, __builtin_exp2(x))        \
  SIM_HALF_FUNCTION(H, H2, exp10, __builtin_pow(10.0, x))  \
  SIM_HALF_FUNCTION(H, H2, log, __builtin_log(x))          \
  SIM_HALF_FUNCTION(H, H2, log2, __builtin_log2(x))        \
  SIM_HALF_FUNCTION(H, H2, log10, __builtin_log10(x))      \
  SIM_HALF_FUNCTION(H, H2, sqrt, __builtin_sqrt(x))        \
  SIM_HALF_FUNCTION(H, H2, rsqrt, 1.0 / __builtin_sqrt(x)) \
  SIM_HALF_FUNCTION(H, H2, rcp, 1.0 / x)                   \
  SIM_HALF_FUNCTION(H, H2, sin, __builtin_sin(x))          \
  SIM_HALF_FUNCTION(H, H2, cos, __builtin_cos(x))          \
  SIM_HALF_FUNCTION(H, H2, tanh, __builtin_tanh(x))        \
  SIM_HALF_FUNCTION(H, H2, tanh_approx, __builtin_tanh(x)) \
  SIM_HALF_FUNCTION(H, H2, floor, __builtin_floor(x))      \
  SIM_HALF_FUNCTION(H, H2, ceil, __builtin_ceil(x))        \
  SIM_HALF_FUNCTION(H, H2, trunc, __builtin_trunc(x))      \
  SIM_HALF_FUNCTION(H, H2, rint, __builtin_rint(x))

#define SIM_HALF_SHUFFLES(H)                                                                        \
  SIM_DEVICE H __shfl_sync(unsigned mask, H value, int source, int width = 32, SIM_LINE) {          \
    return sim::detail::shuffle(sim::WarpKind::kShuffle, mask, value, source, width, line);         \
  }                                                                                                 \
  SIM_DEVICE H __shfl_up_sync(unsigned mask, H value, unsigned delta, int width = 32, SIM_LINE) {   \
    return sim::detail::shuffle(sim::WarpKind::kShuffleUp, mask, value, int(delta), width, line);   \
  }                                                                                                 \
  SIM_DEVICE H __shfl_down_sync(unsigned mask, H value, unsigned delta, int width = 32, SIM_LINE) { \
    return sim::detail::shuffle(sim::WarpKind::kShuffleDown, mask, value, int(delta), width, line); \
  }                                                                                                 \
  SIM_DEVICE H __shfl_xor_sync(unsigned mask, H value, int lanes, int width = 32, SIM_LINE) {       \
    return sim::detail::shuffle(sim::WarpKind::kShuffleXor, mask, value, lanes, width, line);       \
  }                                                                                                 \
  H atomicAdd(H* address, H value);
