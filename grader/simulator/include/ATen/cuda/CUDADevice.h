#pragma once
#include <c10/core/Device.h>

#include "Exceptions.h"

namespace at::cuda {

inline c10::Device getDeviceFromPtr(void* pointer) {
  cudaPointerAttributes attributes;
  AT_CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  TORCH_CHECK(attributes.type == cudaMemoryTypeDevice, "The specified pointer resides on host memory");
  return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(attributes.device)};
}

}  // namespace at::cuda
