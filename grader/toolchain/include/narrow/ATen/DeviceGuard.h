// Stands before PyTorch's header, which drags in ivalue.h for the overload that takes a list.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace at {

inline std::optional<Device> device_of(const Tensor& t) {
  return t.defined() ? std::optional<Device>(t.device()) : std::nullopt;
}
inline std::optional<Device> device_of(const std::optional<Tensor>& t) {
  return t.has_value() ? device_of(*t) : std::nullopt;
}
inline std::optional<Device> device_of(TensorList list) {
  return list.empty() ? std::nullopt : device_of(list.front());
}

}  // namespace at
