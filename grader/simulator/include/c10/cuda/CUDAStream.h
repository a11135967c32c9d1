// PyTorch's stream class over the simulator's streams.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>

#include <functional>
#include <ostream>

#include "CUDAFunctions.h"

namespace c10::cuda {

class CUDAStream {
 public:
  enum Unchecked { UNCHECKED };

  explicit CUDAStream(Stream stream) : stream_(stream) {
    TORCH_CHECK(stream_.device_type() == DeviceType::CUDA, "expected a CUDA stream");
  }
  explicit CUDAStream(Unchecked, Stream stream) : stream_(stream) {}

  bool operator==(const CUDAStream& other) const noexcept { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const noexcept { return stream_ != other.stream_; }

  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return unwrap(); }

  DeviceType device_type() const { return DeviceType::CUDA; }
  DeviceIndex device_index() const { return stream_.device_index(); }
  Device device() const { return Device(DeviceType::CUDA, device_index()); }
  StreamId id() const { return stream_.id(); }

  bool query() const {
    const cudaError_t error = cudaStreamQuery(here());
    if (error == cudaErrorNotReady) return false;
    C10_CUDA_CHECK(error);
    return true;
  }
  void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(here())); }
  int priority() const { return 0; }
  static std::tuple<int, int> priority_range() { return {0, 0}; }

  // Null for the default stream, as in CUDA, where null means the current device's.
  cudaStream_t stream() const { return id() == 0 ? nullptr : here(); }
  Stream unwrap() const { return stream_; }
  struct c10::StreamData3 pack3() const {
    return stream_.pack3();
  }
  static CUDAStream unpack3(StreamId id, DeviceIndex device, DeviceType type) {
    return CUDAStream(Stream::unpack3(id, device, type));
  }

 private:
  cudaStream_t here() const { return ::sim::host::stream_by_id(device_index(), id()); }

  Stream stream_;
};

namespace detail {

inline DeviceIndex or_current(DeviceIndex device) { return device < 0 ? current_device() : device; }

inline CUDAStream wrap(cudaStream_t stream, DeviceIndex device) {
  return CUDAStream(CUDAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device),
                                                  stream ? ::sim::host::stream_id(stream) : 0));
}

}  // namespace detail

inline CUDAStream getStreamFromPool(const int, DeviceIndex device = -1) {
  device = detail::or_current(device);
  return detail::wrap(::sim::host::pool_stream(device), device);
}

inline CUDAStream getStreamFromPool(const bool = false, DeviceIndex device = -1) {
  return getStreamFromPool(0, device);
}

inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  return detail::wrap(stream, device);
}

inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
  return detail::wrap(nullptr, detail::or_current(device));
}

inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  device = detail::or_current(device);
  return detail::wrap(::sim::host::current_stream(device), device);
}

inline void setCurrentCUDAStream(CUDAStream stream) {
  ::sim::host::set_current_stream(stream.stream(), stream.device_index());
}

inline std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) {
  return out << stream.unwrap();
}

}  // namespace c10::cuda

namespace std {
template <>
struct hash<c10::cuda::CUDAStream> {
  size_t operator()(c10::cuda::CUDAStream stream) const noexcept {
    return std::hash<c10::Stream>{}(stream.unwrap());
  }
};
}  // namespace std
