// Operators with an implementation of their own: memory, views and copies.  All others go through
// fallback.cpp.
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>

#include "../engine/memory.h"
#include "../runtime/pinned.h"
#include "allocator.h"
#include "errors.h"
#include "tensors.h"
#include "without_dispatch.h"

namespace sim {

namespace {

using at::IntArrayRef;
using at::Tensor;
using c10::SymInt;
using c10::SymIntArrayRef;
using OptionalDevice = std::optional<c10::Device>;
using OptionalType = std::optional<at::ScalarType>;
using OptionalLayout = std::optional<at::Layout>;
using OptionalFormat = std::optional<at::MemoryFormat>;

c10::Device device_or_current(OptionalDevice device) {
  if (device.has_value() && device->has_index()) {
    TORCH_CHECK(device->index() < device_count(), "CUDA error: invalid device ordinal ",
                std::to_string(device->index()));
    return *device;
  }
  return {kSimDevice, static_cast<c10::DeviceIndex>(current_device())};
}

Tensor empty_memory_format(SymIntArrayRef sizes, OptionalType dtype, OptionalLayout layout,
                           OptionalDevice device, std::optional<bool>, OptionalFormat format) {
  TORCH_CHECK(c10::layout_or_default(layout) == at::kStrided, "sim has strided tensors only");
  const c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(sizes), device_allocator(),
                                   c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(SymIntArrayRef sizes, SymIntArrayRef strides, OptionalType dtype, OptionalLayout,
                     OptionalDevice device, std::optional<bool>) {
  return empty_on_sim(C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides),
                      c10::dtype_or_default(dtype), device_or_current(device).index());
}

Tensor as_strided(const Tensor& self, SymIntArrayRef sizes, SymIntArrayRef strides,
                  std::optional<SymInt> offset) {
  const auto start = offset ? std::optional<int64_t>(offset->expect_int()) : std::nullopt;
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(sizes),
                                           C10_AS_INTARRAYREF_SLOW(strides), start);
}

Tensor view(const Tensor& self, SymIntArrayRef sizes) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(sizes));
}

Tensor reshape_alias(const Tensor& self, SymIntArrayRef sizes, SymIntArrayRef strides) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides));
}

size_t bytes_needed(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  return at::detail::computeStorageNbytes(sizes, strides, self.element_size(), offset);
}

const Tensor& resize_(const Tensor& self, SymIntArrayRef symbolic, OptionalFormat format) {
  const auto sizes = C10_AS_INTARRAYREF_SLOW(symbolic);
  if (self.sizes() == sizes && !format.has_value()) return self;
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(sizes);
  if (format.has_value() && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  const size_t bytes = bytes_needed(self, self.sizes(), self.strides(), self.storage_offset());
  if (bytes > self.storage().nbytes()) resize_storage(self.storage().unsafeGetStorageImpl(), bytes);
  return self;
}

Tensor& set_storage_with_offset(Tensor& self, at::Storage source, SymInt offset, SymIntArrayRef sizes,
                                SymIntArrayRef strides) {
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(source));
  const auto dense = C10_AS_INTARRAYREF_SLOW(sizes);
  if (strides.empty() && !dense.empty()) {
    impl->set_sizes_contiguous(dense);
    impl->set_storage_offset(offset.expect_int());
  } else {
    impl->set_sizes_and_strides(dense, C10_AS_INTARRAYREF_SLOW(strides), offset.expect_int());
  }
  const size_t bytes = bytes_needed(self, self.sizes(), self.strides(), self.storage_offset());
  if (self.numel() && bytes > self.storage().nbytes())
    resize_storage(self.storage().unsafeGetStorageImpl(), bytes);
  return self;
}

Tensor& set_storage(Tensor& self, at::Storage source) {
  const auto length = static_cast<int64_t>(source.nbytes() / self.element_size());
  const std::array<SymInt, 1> sizes{length};
  return set_storage_with_offset(self, std::move(source), 0, sizes, {});
}

Tensor& set_tensor(Tensor& self, const Tensor& source) {
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(source.storage());
  impl->set_sizes_and_strides(source.sizes(), source.strides(), source.storage_offset());
  return self;
}

Tensor& set_nothing(Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  at::Storage storage(at::Storage::use_byte_size_t(), 0, device_allocator(), true);
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(storage));
  self.unsafeGetTensorImpl()->set_sizes_contiguous({0});
  return self;
}

Stream* stream_of(const Tensor& tensor) { return current_stream(tensor.device().index()); }

void run_copy(const Tensor& to, const Tensor& from, const std::vector<Span>& spans) {
  const WithoutDispatch guard;
  const bool bytes_only = to.dtype() == from.dtype() && to.is_contiguous() && from.is_contiguous() &&
                          to.is_conj() == from.is_conj() && to.is_neg() == from.is_neg();
  if (bytes_only && owns(to.const_data_ptr()) && owns(from.const_data_ptr()))
    return copy_bytes(to.mutable_data_ptr(), from.const_data_ptr(), to.nbytes());
  at::_ops::copy_::call(const_cast<Tensor&>(to), from, false);
  if (owns(to.const_data_ptr()))
    owns(from.const_data_ptr()) ? copy_initialised(to, from) : mark_initialised(spans);
}

// `to` and `from` are CPU tensors or aliases that may be used until the task has run.
void submit_copy(Stream* stream, const Tensor& to, const Tensor& from) {
  Task task{"aten::copy_", 0, nullptr, {}};
  add_spans(from, false, task.spans);
  add_spans(to, true, task.spans);
  task.run = [to, from, spans = task.spans] { run_copy(to, from, spans); };
  submit(stream, std::move(task));
}

void copy_between_devices(const Tensor& to, const Tensor& from) {
  Stream* reader = stream_of(from);
  Stream* writer = stream_of(to);
  Event* event = new_event();
  record(event, writer);
  wait(reader, event);
  submit_copy(reader, cpu_alias(to), cpu_alias(from));
  record(event, reader);
  wait(writer, event);
  destroy_event(event);
}

// CUDA may read pageable memory at once or later, so the simulator reads it at once; pinned memory it reads
// when the copy runs.  Without `non_blocking` the copy has run when this returns.
void copy_from_host(const Tensor& to, const Tensor& from, bool non_blocking) {
  const bool late = non_blocking && is_pinned(from.const_data_ptr());
  submit_copy(stream_of(to), cpu_alias(to), non_blocking && !late ? from.clone() : from.detach());
  if (!non_blocking) synchronize(stream_of(to));
}

void copy_to_host(const Tensor& to, const Tensor& from, bool non_blocking) {
  submit_copy(stream_of(from), to.detach(), cpu_alias(from));
  if (!non_blocking || !is_pinned(to.const_data_ptr())) synchronize(stream_of(from));
}

Tensor& copy_(Tensor& to, const Tensor& source, bool non_blocking) {
  throw_last_error();
  log_operator("aten::copy_");
  if (to.is_same(source) || to.numel() == 0) return to;
  const Tensor from = source.sizes() == to.sizes() ? source : source.expand(to.sizes());
  if (on_sim(to) && on_sim(from) && to.device() == from.device())
    submit_copy(stream_of(to), cpu_alias(to), cpu_alias(from));
  else if (on_sim(to) && on_sim(from))
    copy_between_devices(to, from);
  else if (on_sim(to))
    copy_from_host(to, from, non_blocking);
  else
    copy_to_host(to, from, non_blocking);
  throw_last_error();
  return to;
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  Tensor target = to;
  return copy_(target, from, non_blocking);
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar_dense(const Tensor& self) {
  Tensor host = at::detail::empty_cpu({}, self.scalar_type());
  copy_to_host(host, self.reshape({}), false);
  throw_last_error();
  return host.item();
}

void record_stream(Tensor& self, c10::Stream stream) {
  Stream* user = stream_by_id(stream.device_index(), stream.id());
  TORCH_CHECK(user, "record_stream: no such stream");
  use_on_stream(self.storage().data_ptr(), user);
}

// The mathematical composition of scaled_dot_product_attention, whose parts the device has.
int64_t fused_sdp_choice(const Tensor&, const Tensor&, const Tensor&, const std::optional<Tensor>&, double,
                         bool, std::optional<double>, bool) {
  return 0;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty_memory_format);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("resize_", resize_);
  m.impl("set_.source_Storage", set_storage);
  m.impl("set_.source_Storage_storage_offset", set_storage_with_offset);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("set_", set_nothing);
  m.impl("copy_", copy_);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("record_stream", record_stream);
  m.impl("_fused_sdp_choice", fused_sdp_choice);
}

}  // namespace sim
