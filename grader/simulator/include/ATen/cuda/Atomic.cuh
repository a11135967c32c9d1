// ATen's atomic addition for every type that tensors have.
#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#include "../../cuda_runtime.h"

template <class T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}

__device__ inline int64_t gpuAtomicAdd(int64_t* address, int64_t value) {
  return static_cast<int64_t>(
      atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
}

namespace sim {

// PyTorch's and CUDA's 16-bit types have the same bits.
template <class To, class From>
To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "16-bit types");
  return *reinterpret_cast<To*>(&value);
}

}  // namespace sim

__device__ inline c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return sim::same_bits<c10::Half>(
      atomicAdd(reinterpret_cast<__half*>(address), sim::same_bits<__half>(value)));
}

__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return sim::same_bits<c10::BFloat16>(
      atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), sim::same_bits<__nv_bfloat16>(value)));
}

template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
