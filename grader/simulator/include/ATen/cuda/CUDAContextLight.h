// ATen's questions about devices.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "ATenCUDAGeneral.h"
#include "Exceptions.h"

namespace at::cuda {

using namespace c10::cuda;

inline int64_t getNumGPUs() { return c10::cuda::device_count(); }
inline bool is_available() { return c10::cuda::device_count() > 0; }

inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  const cudaDeviceProp* properties = ::sim::host::device_properties(device);
  TORCH_CHECK(properties, "device=", static_cast<int>(device), " is no device");
  return const_cast<cudaDeviceProp*>(properties);
}

inline cudaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(c10::cuda::current_device());
}
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline bool canDeviceAccessPeer(c10::DeviceIndex, c10::DeviceIndex) { return false; }
inline c10::Allocator* getCUDADeviceAllocator() { return c10::GetAllocator(c10::DeviceType::CUDA); }

}  // namespace at::cuda
