// cudaMalloc and its kin.  Memory behind PyTorch's allocator is legal CUDA and wrong in an extension, so it
// is reported.
#include <set>

#include "../engine/graph.h"
#include "../engine/memory.h"
#include "../engine/report.h"
#include "call.h"
#include "leaks.h"
#include "pinned.h"

namespace sim {

namespace {

std::set<uint64_t>& told_leaks() {
  static auto* ids = new std::set<uint64_t>;
  return *ids;
}

void report_raw(const char* function, size_t bytes, const Allocation& allocation, const char* caller) {
  Report raw;
  raw.kind = "raw_allocation";
  raw.kernel = function;
  raw.allocation_bytes = static_cast<int64_t>(bytes);
  raw.device = allocation.device;
  raw.pc = caller;
  raw.message =
      std::string(function) + " took " + std::to_string(bytes) +
      " bytes behind PyTorch's allocator. Use torch::empty, whose memory is reused, counted and safe under "
      "streams.";
  report(std::move(raw));
}

cudaError_t take(const char* function, void** pointer, size_t bytes, Origin origin, Stream* stream,
                 const char* caller) {
  if (context_error()) return context_error();
  if (!pointer) return fail(cudaErrorInvalidValue, std::string(function) + ": a null pointer");
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate(stream->device, bytes, origin, stream);
  if (!*pointer) return fail(cudaErrorMemoryAllocation, std::string(function) + ": the device is full");
  report_raw(function, bytes, *find(*pointer), caller);
  return cudaSuccess;
}

void report_double_free(const char* function, const Allocation& allocation, const char* caller) {
  Report twice;
  twice.kind = "double_free";
  twice.kernel = function;
  twice.allocation_bytes = static_cast<int64_t>(allocation.bytes);
  twice.device = allocation.device;
  twice.pc = caller;
  twice.message =
      std::string(function) + " was given memory that was freed before, by " + allocation.freed_by + ".";
  report(std::move(twice));
}

// Whether the pointer is the start of a live allocation that the learner made.
cudaError_t check_free(const char* function, void* pointer, const char* caller) {
  const Allocation* allocation = owns(pointer) ? find(pointer) : nullptr;
  if (!allocation || allocation->base != pointer)
    return fail(cudaErrorInvalidValue,
                std::string(function) + ": no device allocation starts at this pointer");
  if (allocation->freed) {
    report_double_free(function, *allocation, caller);
    return fail(cudaErrorInvalidValue, std::string(function) + ": freed before");
  }
  if (allocation->origin != Origin::kCudaMalloc && allocation->origin != Origin::kCudaMallocAsync)
    return fail(cudaErrorInvalidValue, std::string(function) + ": the memory belongs to PyTorch's allocator");
  return cudaSuccess;
}

void report_leak(const Allocation& allocation) {
  Report leak;
  leak.kind = "leak";
  leak.allocation_bytes = static_cast<int64_t>(allocation.bytes);
  leak.device = allocation.device;
  leak.message = std::to_string(allocation.bytes) + " bytes from cudaMalloc were not freed.";
  report(std::move(leak));
}

}  // namespace

void report_leaks() {
  EngineLock lock;
  for (int device = 0; device < device_count(); ++device)
    for (const Allocation* allocation : live_allocations(device)) {
      const bool raw =
          allocation->origin == Origin::kCudaMalloc || allocation->origin == Origin::kCudaMallocAsync;
      if (raw && told_leaks().insert(allocation->id).second) report_leak(*allocation);
    }
}

namespace api {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (refuse_while_capturing("cudaMalloc")) return cudaErrorStreamCaptureUnsupported;
  return take("cudaMalloc", pointer, bytes, Origin::kCudaMalloc, default_stream(current_device()),
              SIM_CALLER);
}

// Rows begin at multiples of 512 bytes.
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return take("cudaMallocPitch", pointer, *pitch * height, Origin::kCudaMalloc,
              default_stream(current_device()), SIM_CALLER);
}

cudaError_t cudaFree(void* pointer) {
  if (context_error()) return context_error();
  if (!pointer) return cudaSuccess;
  const cudaError_t error = check_free("cudaFree", pointer, SIM_CALLER);
  if (error) return error;
  synchronize_device(find(pointer)->device, Caller::kLearner);  // as CUDA's does
  release(pointer, "cudaFree");
  return context_error();
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaMallocAsync");
  return take("cudaMallocAsync", pointer, bytes, Origin::kCudaMallocAsync, found, SIM_CALLER);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (context_error()) return context_error();
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaFreeAsync");
  if (!pointer) return cudaSuccess;
  const cudaError_t error = check_free("cudaFreeAsync", pointer, SIM_CALLER);
  if (!error) free_later(pointer, found, {});
  return error;
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  if (context_error()) return context_error();
  *pointer = bytes ? allocate_pinned(bytes) : nullptr;
  return *pointer || !bytes ? cudaSuccess : fail(cudaErrorMemoryAllocation, "cudaMallocHost: no host memory");
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return api::cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer && !is_pinned(pointer))
    return fail(cudaErrorInvalidValue, "cudaFreeHost: not from cudaMallocHost");
  free_pinned(pointer);
  return context_error();
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  if (!pointer || !bytes || is_pinned(pointer))
    return fail(cudaErrorInvalidValue, "cudaHostRegister: no memory, or registered before");
  register_pinned(pointer, bytes);
  return context_error();
}

cudaError_t cudaHostUnregister(void* pointer) {
  if (!unregister_pinned(pointer))
    return fail(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister: not registered");
  return context_error();
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = kDeviceBytes;
  *free = kDeviceBytes - bytes_in_use(current_device());
  return context_error();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  *attributes = {};
  const Allocation* allocation = owns(pointer) ? find(pointer) : nullptr;
  if (allocation) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void*>(pointer);
  } else if (is_pinned(pointer)) {
    attributes->type = cudaMemoryTypeHost;
    attributes->device = current_device();
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(pointer);
  }
  return context_error();
}

}  // namespace api

}  // namespace sim
