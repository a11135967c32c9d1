// PyTorch's guards: device and stream are put back at the end of the scope.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>

#include <optional>
#include <vector>

#include "CUDAStream.h"

namespace c10::cuda {

namespace detail {
inline Device cuda_device(DeviceIndex index) { return Device(DeviceType::CUDA, index); }
}  // namespace detail

struct CUDAGuard {
  explicit CUDAGuard() = delete;
  explicit CUDAGuard(DeviceIndex index) : guard_(detail::cuda_device(index)) {}
  explicit CUDAGuard(Device device) : guard_(device) {
    TORCH_CHECK(device.is_cuda(), "CUDAGuard: expected a CUDA device, got ", device.str());
  }
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;

  void set_device(Device device) { guard_.reset_device(device); }
  void reset_device(Device device) { guard_.reset_device(device); }
  void set_index(DeviceIndex index) { guard_.set_index(index); }
  Device original_device() const { return guard_.original_device(); }
  Device current_device() const { return guard_.current_device(); }

 private:
  DeviceGuard guard_;
};

struct OptionalCUDAGuard {
  explicit OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) : guard_(device) {}
  explicit OptionalCUDAGuard(std::optional<DeviceIndex> index) {
    if (index.has_value()) set_index(*index);
  }
  OptionalCUDAGuard(const OptionalCUDAGuard&) = delete;
  OptionalCUDAGuard& operator=(const OptionalCUDAGuard&) = delete;

  void set_device(Device device) { guard_.reset_device(device); }
  void reset_device(Device device) { guard_.reset_device(device); }
  void set_index(DeviceIndex index) { guard_.reset_device(detail::cuda_device(index)); }
  std::optional<Device> original_device() const { return guard_.original_device(); }
  std::optional<Device> current_device() const { return guard_.current_device(); }

 private:
  OptionalDeviceGuard guard_;
};

struct CUDAStreamGuard {
  explicit CUDAStreamGuard() = delete;
  explicit CUDAStreamGuard(Stream stream) : guard_(stream) {}
  explicit CUDAStreamGuard(CUDAStream stream) : guard_(stream.unwrap()) {}
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;

  void reset_stream(Stream stream) { guard_.reset_stream(stream); }
  CUDAStream original_stream() const { return CUDAStream(CUDAStream::UNCHECKED, guard_.original_stream()); }
  CUDAStream current_stream() const { return CUDAStream(CUDAStream::UNCHECKED, guard_.current_stream()); }
  Device current_device() const { return guard_.current_device(); }
  Device original_device() const { return guard_.original_device(); }

 private:
  StreamGuard guard_;
};

struct OptionalCUDAStreamGuard {
  explicit OptionalCUDAStreamGuard() = default;
  explicit OptionalCUDAStreamGuard(Stream stream) : guard_(stream) {}
  explicit OptionalCUDAStreamGuard(std::optional<Stream> stream) : guard_(stream) {}
  OptionalCUDAStreamGuard(const OptionalCUDAStreamGuard&) = delete;
  OptionalCUDAStreamGuard& operator=(const OptionalCUDAStreamGuard&) = delete;

  void reset_stream(Stream stream) { guard_.reset_stream(stream); }
  void reset() { guard_.reset(); }

 private:
  OptionalStreamGuard guard_;
};

// One stream for each device at most; all are put back, the last set first.
struct CUDAMultiStreamGuard {
  explicit CUDAMultiStreamGuard(ArrayRef<CUDAStream> streams) {
    for (const CUDAStream& stream : streams) {
      before_.push_back(getCurrentCUDAStream(stream.device_index()));
      setCurrentCUDAStream(stream);
    }
  }
  CUDAMultiStreamGuard(const CUDAMultiStreamGuard&) = delete;
  CUDAMultiStreamGuard& operator=(const CUDAMultiStreamGuard&) = delete;
  ~CUDAMultiStreamGuard() {
    for (auto stream = before_.rbegin(); stream != before_.rend(); ++stream) setCurrentCUDAStream(*stream);
  }

 private:
  std::vector<CUDAStream> before_;
};

}  // namespace c10::cuda
