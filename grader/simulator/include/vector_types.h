// CUDA's vector types with CUDA's alignments, and the thread's built-in variables.
#pragma once
#include <stdint.h>

#include "sim/qualifiers.h"

#define SIM_VECTORS(T, name, a1, a2, a4)                                    \
  struct name##1 {                                                          \
    T x;                                                                    \
  };                                                                        \
  struct __attribute__((aligned(a2))) name##2 {                             \
    T x, y;                                                                 \
  };                                                                        \
  struct name##3 {                                                          \
    T x, y, z;                                                              \
  };                                                                        \
  struct __attribute__((aligned(a4))) name##4 {                             \
    T x, y, z, w;                                                           \
  };                                                                        \
  static inline name##1 make_##name##1(T x) { return {x}; }                 \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

SIM_VECTORS(signed char, char, 1, 2, 4)
SIM_VECTORS(unsigned char, uchar, 1, 2, 4)
SIM_VECTORS(short, short, 2, 4, 8)
SIM_VECTORS(unsigned short, ushort, 2, 4, 8)
SIM_VECTORS(int, int, 4, 8, 16)
SIM_VECTORS(unsigned int, uint, 4, 8, 16)
SIM_VECTORS(long, long, 8, 16, 16)
SIM_VECTORS(unsigned long, ulong, 8, 16, 16)
SIM_VECTORS(long long, longlong, 8, 16, 16)
SIM_VECTORS(unsigned long long, ulonglong, 8, 16, 16)
SIM_VECTORS(float, float, 4, 8, 16)
SIM_VECTORS(double, double, 8, 16, 16)
#undef SIM_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

namespace sim {
// blockDim and gridDim: a dim3 without constructors, because GCC instruments reads of constants that have
// one.
struct BuiltinDim {
  unsigned int x, y, z;
  operator dim3() const { return dim3(x, y, z); }
  operator uint3() const { return uint3{x, y, z}; }
};
}  // namespace sim

// Constants of each thread: `const` keeps the compiler from instrumenting the reads.
#define SIM_BUILTIN extern const __thread __attribute__((tls_model("initial-exec"), visibility("default")))
SIM_BUILTIN uint3 threadIdx;
SIM_BUILTIN uint3 blockIdx;
SIM_BUILTIN sim::BuiltinDim blockDim;
SIM_BUILTIN sim::BuiltinDim gridDim;
#undef SIM_BUILTIN
static const int warpSize = 32;
