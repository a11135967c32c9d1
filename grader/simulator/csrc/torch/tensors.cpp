#include "tensors.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <array>
#include <set>

#include "../engine/memory.h"
#include "allocator.h"

namespace sim {

namespace {

constexpr size_t kSpansOfOneTensor = 64;  // beyond, one inexact span stands for all

at::Tensor with_storage(c10::Storage storage, const at::Tensor& like, c10::DispatchKey key) {
  auto impl =
      c10::make_intrusive<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  at::Tensor tensor(std::move(impl));
  if (like.is_conj()) tensor.unsafeGetTensorImpl()->_set_conj(true);
  if (like.is_neg()) tensor.unsafeGetTensorImpl()->_set_neg(true);
  return tensor;
}

c10::Storage borrowed(void* data, size_t bytes, c10::DeviceType type) {
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), bytes, c10::DataPtr(data, c10::Device(type)), nullptr, false));
}

struct Dimension {
  int64_t size, stride;
};

// Dimensions of more than one element, the densest first.
std::vector<Dimension> by_stride(const at::Tensor& tensor) {
  std::vector<Dimension> dimensions;
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.size(d) != 1 && tensor.stride(d) != 0)
      dimensions.push_back({tensor.size(d), tensor.stride(d)});
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  return dimensions;
}

size_t extent(const at::Tensor& tensor) {
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  return (last + 1) * tensor.element_size();
}

// Splits the bytes into spans: a dense run, its repetition, and one span for each index of what is left.
void add_rows(const char* base, const at::Tensor& tensor, std::vector<Dimension> dimensions, bool write,
              std::vector<Span>& spans) {
  const size_t item = tensor.element_size();
  size_t run = item, used = 0;
  for (; used < dimensions.size() && dimensions[used].stride * item == run; ++used)
    run *= dimensions[used].size;
  Span span{base, run, write};
  if (used < dimensions.size()) {
    span.rows = dimensions[used].size;
    span.pitch = dimensions[used].stride * item;
    ++used;
  }
  size_t repeats = 1;
  for (size_t d = used; d < dimensions.size(); ++d) repeats *= dimensions[d].size;
  if (repeats > kSpansOfOneTensor) {
    spans.push_back({base, extent(tensor), write, 1, 0, false});
    return;
  }
  for (size_t n = 0; n < repeats; ++n) {
    size_t left = n, offset = 0;
    for (size_t d = used; d < dimensions.size(); ++d) {
      offset += (left % dimensions[d].size) * dimensions[d].stride * item;
      left /= dimensions[d].size;
    }
    Span shifted = span;
    shifted.begin = base + offset;
    spans.push_back(shifted);
  }
}

char* data_of(const at::Tensor& tensor) {
  auto* storage = static_cast<char*>(tensor.storage().mutable_data());
  return storage ? storage + tensor.storage_offset() * tensor.element_size() : nullptr;
}

// Calls `visit(to element, from element)` for each element of two tensors of the same sizes.
template <typename Visit>
void for_each_pair(const at::Tensor& to, const at::Tensor& from, const Visit& visit) {
  const int64_t numel = to.numel();
  std::vector<int64_t> index(to.dim(), 0);
  char* a = data_of(to);
  char* b = data_of(from);
  for (int64_t n = 0; n < numel; ++n) {
    visit(a, b);
    for (int64_t d = to.dim() - 1; d >= 0; --d) {
      a += to.stride(d) * to.element_size();
      b += from.stride(d) * from.element_size();
      if (++index[d] < to.size(d)) break;
      a -= to.size(d) * to.stride(d) * to.element_size();
      b -= from.size(d) * from.stride(d) * from.element_size();
      index[d] = 0;
    }
  }
}

bool all_initialised(const at::Tensor& tensor) { return is_initialised(data_of(tensor), extent(tensor)); }

std::set<std::string>& operators() {
  static auto* names = new std::set<std::string>;
  return *names;
}

}  // namespace

void check_kind(const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, "sim has strided tensors only");
  TORCH_CHECK_NOT_IMPLEMENTED(!tensor.is_quantized(), "sim has no quantised tensors");
}

at::Tensor cpu_alias(const at::Tensor& tensor) {
  return with_storage(borrowed(tensor.storage().mutable_data(), tensor.storage().nbytes(), c10::kCPU), tensor,
                      c10::DispatchKey::CPU);
}

at::Tensor meta_twin(const at::Tensor& tensor) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), tensor.storage().nbytes(),
      c10::DataPtr(nullptr, c10::Device(c10::kMeta)), c10::GetAllocator(c10::kMeta), true);
  return with_storage(c10::Storage(std::move(storage)), tensor, c10::DispatchKey::Meta);
}

void add_spans(const at::Tensor& tensor, bool write, std::vector<Span>& spans) {
  const char* base = data_of(tensor);
  if (!base || tensor.numel() == 0) return;
  if (tensor.is_contiguous()) {
    spans.push_back({base, tensor.nbytes(), write});
    return;
  }
  add_rows(base, tensor, by_stride(tensor), write, spans);
}

void mark_initialised(const std::vector<Span>& spans) {
  for (const Span& span : spans)
    for (size_t row = 0; span.write && row < span.rows; ++row)
      mark_initialised(static_cast<const char*>(span.begin) + row * span.pitch, span.bytes);
}

void copy_initialised(const at::Tensor& to, const at::Tensor& from) {
  if (to.numel() == 0 || !owns(data_of(to))) return;
  const bool whole = !owns(data_of(from)) || all_initialised(from);
  for_each_pair(to, from, [&](const char* a, const char* b) {
    if (whole || is_initialised(b, from.element_size()))
      mark_initialised(a, to.element_size());
    else
      mark_uninitialised(a, to.element_size());
  });
}

void resize_storage(c10::StorageImpl* storage, size_t bytes) {
  if (bytes == storage->nbytes()) return;
  const c10::Device device = storage->device();
  const int previous = current_device();
  set_current_device(device.index());
  c10::DataPtr fresh = device_allocator()->allocate(bytes);
  set_current_device(previous);
  void* to = fresh.get();
  const void* from = storage->data();
  const size_t kept = std::min(bytes, storage->nbytes());
  if (kept && to && from) {
    Task copy{
        "aten::resize_", 0, [=] { copy_bytes(to, from, kept); }, {{from, kept, false}, {to, kept, true}}};
    submit(current_stream(device.index()), std::move(copy));
  }
  storage->set_data_ptr_noswap(std::move(fresh));
  storage->set_nbytes(bytes);
}

at::Tensor empty_on_sim(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, int device) {
  const int previous = current_device();
  set_current_device(device);
  at::Tensor tensor = at::detail::empty_strided_generic(
      sizes, strides, device_allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), dtype);
  set_current_device(previous);
  return tensor;
}

void log_operator(const std::string& name) {
  EngineLock lock;
  operators().insert(name);
}

std::string take_dispatch_log() {
  EngineLock lock;
  std::string json;
  for (const std::string& name : operators()) json += (json.empty() ? "\"" : ",\"") + name + "\"";
  operators().clear();
  return "[" + json + "]";
}

}  // namespace sim
