// CUDA's atomics.  One OS thread runs a grid, so a plain read and write is atomic; the runtime checks the
// address.
#pragma once
#include "thread.h"

#define SIM_ATOMIC(T, name)                                                       \
  T name(T* address, T value);                                                    \
  SIM_DEVICE T name##_block(T* address, T value) { return name(address, value); } \
  SIM_DEVICE T name##_system(T* address, T value) { return name(address, value); }

#define SIM_ATOMIC_INTEGERS(name) \
  SIM_ATOMIC(int, name)           \
  SIM_ATOMIC(unsigned int, name)  \
  SIM_ATOMIC(unsigned long long, name)

SIM_ATOMIC_INTEGERS(atomicAdd)
SIM_ATOMIC(float, atomicAdd)
SIM_ATOMIC(double, atomicAdd)
SIM_ATOMIC(float2, atomicAdd)
SIM_ATOMIC(float4, atomicAdd)
SIM_ATOMIC(int, atomicSub)
SIM_ATOMIC(unsigned int, atomicSub)
SIM_ATOMIC_INTEGERS(atomicExch)
SIM_ATOMIC(float, atomicExch)
SIM_ATOMIC_INTEGERS(atomicMin)
SIM_ATOMIC(long long, atomicMin)
SIM_ATOMIC_INTEGERS(atomicMax)
SIM_ATOMIC(long long, atomicMax)
SIM_ATOMIC_INTEGERS(atomicAnd)
SIM_ATOMIC_INTEGERS(atomicOr)
SIM_ATOMIC_INTEGERS(atomicXor)
SIM_ATOMIC(unsigned int, atomicInc)
SIM_ATOMIC(unsigned int, atomicDec)

#define SIM_ATOMIC_CAS(T)                                          \
  T atomicCAS(T* address, T expected, T value);                    \
  SIM_DEVICE T atomicCAS_block(T* address, T expected, T value) {  \
    return atomicCAS(address, expected, value);                    \
  }                                                                \
  SIM_DEVICE T atomicCAS_system(T* address, T expected, T value) { \
    return atomicCAS(address, expected, value);                    \
  }
SIM_ATOMIC_CAS(int)
SIM_ATOMIC_CAS(unsigned int)
SIM_ATOMIC_CAS(unsigned long long)
SIM_ATOMIC_CAS(unsigned short)
#undef SIM_ATOMIC_CAS
#undef SIM_ATOMIC_INTEGERS
#undef SIM_ATOMIC

namespace sim {

// atomicCAS on words of every size, for the loops of wider interfaces.
unsigned char compare_exchange(unsigned char* address, unsigned char expected, unsigned char value);
inline unsigned short compare_exchange(unsigned short* address, unsigned short expected,
                                       unsigned short value) {
  return atomicCAS(address, expected, value);
}
inline unsigned int compare_exchange(unsigned int* address, unsigned int expected, unsigned int value) {
  return atomicCAS(address, expected, value);
}
inline unsigned long long compare_exchange(unsigned long long* address, unsigned long long expected,
                                           unsigned long long value) {
  return atomicCAS(address, expected, value);
}

}  // namespace sim
