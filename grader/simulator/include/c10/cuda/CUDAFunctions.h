// PyTorch's functions about CUDA devices.
#pragma once
#include <c10/core/Device.h>

#include "CUDAException.h"

namespace c10::cuda {

inline DeviceIndex device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<DeviceIndex>(count) : DeviceIndex{0};
}

inline DeviceIndex device_count_ensure_non_zero() { return device_count(); }

inline DeviceIndex current_device() {
  int device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  return static_cast<DeviceIndex>(device);
}

inline void set_device(DeviceIndex device, bool = false) { C10_CUDA_CHECK(cudaSetDevice(device)); }

inline DeviceIndex ExchangeDevice(DeviceIndex device) {
  const DeviceIndex previous = current_device();
  set_device(device);
  return previous;
}

inline DeviceIndex MaybeExchangeDevice(DeviceIndex device) {
  return device < 0 ? current_device() : ExchangeDevice(device);
}

inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }
inline void warn_or_error_on_sync() {}
inline void stream_synchronize(cudaStream_t stream) { C10_CUDA_CHECK(cudaStreamSynchronize(stream)); }

}  // namespace c10::cuda
