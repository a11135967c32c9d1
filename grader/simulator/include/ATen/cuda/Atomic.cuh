// ATen's atomic operations for every type that tensors have.
#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#include "../../cuda_runtime.h"

namespace sim {

// Equal size, equal bits: PyTorch's and CUDA's 16-bit types, a float and its word.
template <class To, class From>
To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "reinterpreting keeps the size");
  return *reinterpret_cast<To*>(&value);
}

template <size_t kBytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned int;
};
template <>
struct Word<8> {
  using type = unsigned long long;
};

// The loop with atomicCAS that CUDA programs write for types without an atomic of their own.
template <class T, class F>
T atomic_by_exchange(T* address, F next) {
  using W = typename Word<sizeof(T)>::type;
  W* const word = reinterpret_cast<W*>(address);
  for (W seen = compare_exchange(word, W(0), W(0));;) {
    const W found = compare_exchange(word, seen, same_bits<W>(T(next(same_bits<T>(seen)))));
    if (found == seen) return same_bits<T>(seen);
    seen = found;
  }
}

template <class T>
T larger(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? b : a;
}
template <class T>
T smaller(T a, T b) {
  return a != a ? a : b != b ? b : b < a ? b : a;
}

}  // namespace sim

__device__ inline int32_t gpuAtomicAdd(int32_t* address, int32_t value) { return atomicAdd(address, value); }
__device__ inline float gpuAtomicAdd(float* address, float value) { return atomicAdd(address, value); }
__device__ inline double gpuAtomicAdd(double* address, double value) { return atomicAdd(address, value); }
__device__ inline void gpuAtomicAdd(int64_t* address, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
}
__device__ inline c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return sim::same_bits<c10::Half>(
      atomicAdd(reinterpret_cast<__half*>(address), sim::same_bits<__half>(value)));
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return sim::same_bits<c10::BFloat16>(
      atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), sim::same_bits<__nv_bfloat16>(value)));
}
template <class T>
__device__ inline void gpuAtomicAdd(c10::complex<T>* address, c10::complex<T> value) {
  gpuAtomicAdd(&address->real_, value.real_);
  gpuAtomicAdd(&address->imag_, value.imag_);
}

#define SIM_GPU_ATOMIC(name, T, expression)                                      \
  __device__ inline T name(T* address, T b) {                                    \
    return sim::atomic_by_exchange(address, [b](T a) { return T(expression); }); \
  }
#define SIM_GPU_ATOMIC_NARROW(name, expression) \
  SIM_GPU_ATOMIC(name, uint8_t, expression)     \
  SIM_GPU_ATOMIC(name, int8_t, expression)      \
  SIM_GPU_ATOMIC(name, int16_t, expression)
#define SIM_GPU_ATOMIC_ALL(name, expression)      \
  SIM_GPU_ATOMIC_NARROW(name, expression)         \
  SIM_GPU_ATOMIC(name, int32_t, expression)       \
  SIM_GPU_ATOMIC(name, int64_t, expression)       \
  SIM_GPU_ATOMIC(name, c10::Half, expression)     \
  SIM_GPU_ATOMIC(name, c10::BFloat16, expression) \
  SIM_GPU_ATOMIC(name, float, expression)         \
  SIM_GPU_ATOMIC(name, double, expression)
SIM_GPU_ATOMIC_NARROW(gpuAtomicAdd, a + b)
SIM_GPU_ATOMIC(gpuAtomicAdd, bool, a || b)
SIM_GPU_ATOMIC_ALL(gpuAtomicMul, a* b)
SIM_GPU_ATOMIC_ALL(gpuAtomicMax, sim::larger(a, b))
SIM_GPU_ATOMIC_ALL(gpuAtomicMin, sim::smaller(a, b))
#undef SIM_GPU_ATOMIC_ALL
#undef SIM_GPU_ATOMIC_NARROW
#undef SIM_GPU_ATOMIC

template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
