// cudaMemcpy and cudaMemset in all their forms: tasks on a stream, checked against the allocations they
// touch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "../engine/memory.h"
#include "../engine/report.h"
#include "call.h"
#include "pinned.h"

namespace sim {

namespace {

// `rows` rows of `width` bytes, `pitch` apart.
struct Area {
  char* begin;
  size_t width, rows, pitch;

  size_t extent() const { return rows ? (rows - 1) * pitch + width : 0; }
  Span span(bool write) const { return {begin, width, write, rows, pitch}; }
  bool on_device() const { return owns(begin); }
};

Area whole(const void* begin, size_t bytes) {
  return {static_cast<char*>(const_cast<void*>(begin)), bytes, bytes ? size_t{1} : size_t{0}, bytes};
}

void report_area(const char* kind, const Area& area, const Allocation& allocation, bool write,
                 const char* function, const char* caller) {
  Report bad;
  bad.kind = kind;
  bad.access = write ? "write" : "read";
  bad.bytes = static_cast<int>(area.extent());
  bad.offset_bytes = area.begin - allocation.base;
  bad.allocation_bytes = static_cast<int64_t>(allocation.bytes);
  bad.kernel = function;
  bad.device = allocation.device;
  bad.pc = caller;
  bad.message = std::string(function) + (write ? " writes " : " reads ") + std::to_string(area.extent()) +
                " bytes at offset " + std::to_string(*bad.offset_bytes) + " of " +
                (allocation.freed ? "freed memory of " : "an allocation of ") +
                std::to_string(allocation.bytes) + " bytes.";
  report(std::move(bad));
}

// CUDA leaves open what follows: a GPU has been seen to copy all the same, and to copy out of order.
void report_direction(const Area& to, const Area& from, const char* function, const char* caller) {
  const auto side = [](const Area& area) { return area.on_device() ? "the device" : "the host"; };
  Report bad;
  bad.kind = "copy_direction";
  bad.kernel = function;
  bad.pc = caller;
  bad.message = std::string(function) + " copies from " + side(from) + " to " + side(to) +
                ", and its cudaMemcpyKind says otherwise";
  report(std::move(bad));
}

// The part of an area that lies before `end`: whole rows, or of a single row its beginning.
Area before(const Area& area, const char* end) {
  const size_t room = end - area.begin;
  Area part = area;
  if (area.rows == 1) part.width = std::min(area.width, room);
  while (part.rows > 1 && part.extent() > room) --part.rows;
  return part.extent() > room ? Area{area.begin, 0, 0, 0} : part;
}

// A copy over the end of an allocation is found here and by no GPU: PyTorch's blocks hide it there.  So it is
// reported, and what lies inside is done.  Returns false where nothing can be done.
bool keep_inside(Area& area, bool write, const char* function, const char* caller) {
  if (!area.on_device() || area.extent() == 0) return true;
  const Allocation* allocation = find(area.begin);
  if (!allocation) return false;
  const char* end = allocation->base + allocation->bytes;
  if (allocation->freed) {
    report_area("use_after_free", area, *allocation, write, function, caller);
    return false;
  }
  if (area.begin >= allocation->base && area.begin + area.extent() <= end) return true;
  report_area("out_of_bounds", area, *allocation, write, function, caller);
  if (area.begin < allocation->base || area.begin >= end) return false;
  area = before(area, end);
  return true;
}

void make_alike(Area& one, Area& other) {
  one.width = other.width = std::min(one.width, other.width);
  one.rows = other.rows = std::min(one.rows, other.rows);
}

bool suits(cudaMemcpyKind kind, const Area& to, const Area& from) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to.on_device() && !from.on_device();
    case cudaMemcpyHostToDevice:
      return to.on_device() && !from.on_device();
    case cudaMemcpyDeviceToHost:
      return !to.on_device() && from.on_device();
    case cudaMemcpyDeviceToDevice:
      return to.on_device() && from.on_device();
    default:
      return kind == cudaMemcpyDefault;
  }
}

bool is_symbol(const Area& area) {
  const Allocation* allocation = area.on_device() ? find(area.begin) : nullptr;
  return allocation && allocation->origin == Origin::kSymbol;
}

void copy_rows(const Area& to, const Area& from) {
  for (size_t row = 0; row < to.rows; ++row) {
    char* target = to.begin + row * to.pitch;
    const char* source = from.begin + row * from.pitch;
    if (to.on_device() && from.on_device())
      copy_bytes(target, source, to.width);
    else
      std::memcpy(target, source, to.width);
    if (to.on_device() && !from.on_device()) mark_initialised(target, to.width);
  }
}

void fill_rows(const Area& to, int value) {
  for (size_t row = 0; row < to.rows; ++row) {
    std::memset(to.begin + row * to.pitch, value, to.width);
    if (to.on_device()) mark_initialised(to.begin + row * to.pitch, to.width);
  }
}

Task learners_task(const char* function, const char* caller, std::function<void()> run) {
  Task task{function, 0, std::move(run)};
  task.learner = true;
  task.pc = caller;
  return task;
}

std::function<void()> copy_of(const Area& to, const Area& from) {
  const bool pageable = !from.on_device() && !is_pinned(from.begin);
  if (!pageable) return [=] { copy_rows(to, from); };
  // CUDA may read pageable memory at once or later: only code that is right under both is right, and the
  // learner's memory may be gone later.
  auto bytes = std::make_shared<std::vector<char>>(from.begin, from.begin + from.extent());
  return [=] { copy_rows(to, {bytes->data(), from.width, from.rows, from.pitch}); };
}

uint64_t hash_of(const Area& area) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t row = 0; row < area.rows; ++row)
    for (size_t n = 0; n < area.width; ++n)
      hash = (hash ^ static_cast<unsigned char>(area.begin[row * area.pitch + n])) * 0x100000001b3ull;
  return hash;
}

// Answers copy their coefficients to a symbol in every call, on one stream after the other.
Span written(const Area& to, const Area& from) {
  Span span = to.span(true);
  if (is_symbol(to) && !from.on_device() && !is_pinned(from.begin)) span.content = hash_of(from);
  return span;
}

cudaError_t copy(const char* function, const char* caller, Area to, Area from, cudaMemcpyKind kind,
                 cudaStream_t handle, bool blocking) {
  if (context_error()) return context_error();
  Stream* stream = stream_of(handle);
  if (!stream) return no_such_stream(function);
  if (to.extent() == 0) return cudaSuccess;
  if (!to.begin || !from.begin)
    return fail(cudaErrorInvalidValue, std::string(function) + ": a null pointer");
  if (!suits(kind, to, from)) report_direction(to, from, function, caller);
  if (!keep_inside(to, true, function, caller) || !keep_inside(from, false, function, caller))
    return fail(cudaErrorInvalidValue, std::string(function) + ": outside of its allocation");
  make_alike(to, from);
  if (to.extent() == 0) return cudaSuccess;
  Task task = learners_task(function, caller, copy_of(to, from));
  if (from.on_device()) task.spans.push_back(from.span(false));
  if (to.on_device()) task.spans.push_back(written(to, from));
  submit(stream, std::move(task));
  const bool host_waits = to.on_device() && from.on_device() ? false
                          : to.on_device()                   ? blocking
                                                             : blocking || !is_pinned(to.begin);
  if (host_waits) synchronize(stream, Caller::kLearner);
  return context_error();
}

cudaError_t fill(const char* function, const char* caller, Area to, int value, cudaStream_t handle) {
  if (context_error()) return context_error();
  Stream* stream = stream_of(handle);
  if (!stream) return no_such_stream(function);
  if (to.extent() == 0) return cudaSuccess;
  if (!to.on_device()) return fail(cudaErrorInvalidValue, std::string(function) + ": not device memory");
  if (!keep_inside(to, true, function, caller))
    return fail(cudaErrorInvalidValue, std::string(function) + ": outside of its allocation");
  Task task = learners_task(function, caller, [=] { fill_rows(to, value); });
  task.spans.push_back(to.span(true));
  submit(stream, std::move(task));
  return cudaSuccess;
}

Area rows_of(const void* begin, size_t pitch, size_t width, size_t height) {
  return {static_cast<char*>(const_cast<void*>(begin)), width, width ? height : 0, pitch};
}

}  // namespace

namespace api {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", SIM_CALLER, whole(to, bytes), whole(from, bytes), kind, cudaStreamLegacy, true);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy("cudaMemcpyAsync", SIM_CALLER, whole(to, bytes), whole(from, bytes), kind, stream, false);
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch)
    return fail(cudaErrorInvalidPitchValue, "cudaMemcpy2D: the width is larger than a pitch");
  return copy("cudaMemcpy2D", SIM_CALLER, rows_of(to, to_pitch, width, height),
              rows_of(from, from_pitch, width, height), kind, cudaStreamLegacy, true);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch)
    return fail(cudaErrorInvalidPitchValue, "cudaMemcpy2DAsync: the width is larger than a pitch");
  return copy("cudaMemcpy2DAsync", SIM_CALLER, rows_of(to, to_pitch, width, height),
              rows_of(from, from_pitch, width, height), kind, stream, false);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return copy("cudaMemcpyPeerAsync", SIM_CALLER, whole(to, bytes), whole(from, bytes),
              cudaMemcpyDeviceToDevice, stream, false);
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy("cudaMemcpyPeer", SIM_CALLER, whole(to, bytes), whole(from, bytes), cudaMemcpyDeviceToDevice,
              cudaStreamLegacy, true);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill("cudaMemset", SIM_CALLER, whole(to, bytes), value, cudaStreamLegacy);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", SIM_CALLER, whole(to, bytes), value, stream);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch)
    return fail(cudaErrorInvalidPitchValue, "cudaMemset2D: the width is larger than the pitch");
  return fill("cudaMemset2D", SIM_CALLER, rows_of(to, pitch, width, height), value, cudaStreamLegacy);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  if (width > pitch)
    return fail(cudaErrorInvalidPitchValue, "cudaMemset2DAsync: the width is larger than the pitch");
  return fill("cudaMemset2DAsync", SIM_CALLER, rows_of(to, pitch, width, height), value, stream);
}

}  // namespace api

}  // namespace sim
