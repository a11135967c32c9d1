// Tensors as the simulator sees them: bytes in device memory, aliased by CPU tensors while a task runs.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <vector>

#include "../engine/stream.h"

namespace sim {

constexpr auto kSimDevice = c10::DeviceType::PrivateUse1;

inline bool on_sim(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == kSimDevice;
}

// Raises for a layout or a type that the device does not hold.
void check_kind(const at::Tensor& tensor);

// A CPU tensor over the same bytes.  It owns nothing: memory is freed in stream order, behind the task that
// uses it.
at::Tensor cpu_alias(const at::Tensor& tensor);
// The same sizes, strides and offset on the meta device, over a storage of its own.
at::Tensor meta_twin(const at::Tensor& tensor);

void add_spans(const at::Tensor& tensor, bool write, std::vector<Span>& spans);
void mark_initialised(const std::vector<Span>& spans);
// After `from` was copied into `to` element by element: uninitialised elements stay uninitialised.
void copy_initialised(const at::Tensor& to, const at::Tensor& from);

// Grows or shrinks in stream order, keeping the bytes that fit.
void resize_storage(c10::StorageImpl* storage, size_t bytes);
at::Tensor empty_on_sim(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, int device);
// Names of the operators that ran on the device since the last call, as a JSON array.
void log_operator(const std::string& name);
std::string take_dispatch_log();

}  // namespace sim
