// ATen's event class.  It is made at its first record, on that stream's device.
#pragma once
#include <c10/cuda/CUDAGuard.h>

#include <optional>
#include <utility>

#include "ATenCUDAGeneral.h"
#include "CUDAContext.h"
#include "Exceptions.h"

namespace at::cuda {

struct CUDAEvent {
  CUDAEvent() noexcept = default;
  explicit CUDAEvent(unsigned int flags) noexcept : flags_(flags) {}
  CUDAEvent(CUDAEvent&& other) noexcept { swap(other); }
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    swap(other);
    return *this;
  }
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent& operator=(const CUDAEvent&) = delete;
  ~CUDAEvent() {
    if (event_) cudaEventDestroy(event_);
  }

  operator cudaEvent_t() const { return event_; }
  cudaEvent_t event() const { return event_; }
  bool isCreated() const { return event_ != nullptr; }
  c10::DeviceIndex device_index() const { return device_; }
  std::optional<c10::Device> device() const {
    return event_ ? std::optional<c10::Device>({c10::DeviceType::CUDA, device_}) : std::nullopt;
  }

  bool query() const {
    if (!event_) return true;
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) return false;
    C10_CUDA_CHECK(error);
    return true;
  }
  void record() { record(getCurrentCUDAStream()); }
  void recordOnce(const CUDAStream& stream) {
    if (!recorded_) record(stream);
  }
  void record(const CUDAStream& stream) {
    if (!event_) AT_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
    const CUDAGuard guard(stream.device_index());
    device_ = stream.device_index();
    AT_CUDA_CHECK(cudaEventRecord(event_, stream));
    recorded_ = true;
  }
  void block(const CUDAStream& stream) {
    if (!event_) return;
    const CUDAGuard guard(stream.device_index());
    AT_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
  }
  void synchronize() const {
    if (event_) AT_CUDA_CHECK(cudaEventSynchronize(event_));
  }
  float elapsed_time(const CUDAEvent& other) const {
    float milliseconds = 0;
    AT_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, other.event_));
    return milliseconds;
  }

 private:
  void swap(CUDAEvent& other) {
    std::swap(flags_, other.flags_);
    std::swap(recorded_, other.recorded_);
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
  }

  unsigned int flags_ = cudaEventDisableTiming;
  bool recorded_ = false;
  c10::DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
};

}  // namespace at::cuda
