// PyTorch's allocator by its CUDA name.  The simulator's never caches: every allocation stands alone.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "CUDAStream.h"

namespace c10::cuda::CUDACachingAllocator {

inline Allocator* get() { return GetAllocator(DeviceType::CUDA); }
inline void recordStream(const DataPtr& data, CUDAStream stream) {
  c10::impl::getDeviceGuardImpl(DeviceType::CUDA)->recordDataPtrOnStream(data, stream.unwrap());
}
inline void emptyCache() {}

}  // namespace c10::cuda::CUDACachingAllocator
