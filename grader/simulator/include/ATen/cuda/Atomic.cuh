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

__device__ inline c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return c10::Half(atomicAdd(reinterpret_cast<__half*>(address), static_cast<__half>(value)));
}

__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return c10::BFloat16(atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), static_cast<__nv_bfloat16>(value)));
}

template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
