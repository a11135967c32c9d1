// Device memory: one reserved address range, so that one compare tells a device address from a host one.
// Every allocation stands alone between red zones and is never reused while anything could still name it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace sim {

struct Stream;

constexpr int kDevices = 2;
constexpr size_t kAlignment = 512;  // what PyTorch's caching allocator gives

enum class Origin : uint8_t { kTorch, kCudaMalloc, kCudaMallocAsync, kSymbol };

struct Allocation {
  uint64_t id;
  char* base;
  size_t bytes;
  int device;
  Origin origin;
  Stream* stream;  // the stream that was current when it was allocated
  bool freed;
  std::string freed_by;  // for use-after-free reports
};

// Returns null when `bytes` is 0 or the device is full.  Fresh memory is poisoned and uninitialised.
void* allocate(int device, size_t bytes, Origin origin, Stream* stream);
// Frees now.  The stream-ordered free of PyTorch's allocator is a task that calls this (stream.h).
void release(void* pointer, const std::string& by);

extern char* arena_begin;
extern char* arena_end;
inline bool owns(const void* p) { return p >= arena_begin && p < arena_end; }

// The allocation that holds `p` or, in a red zone, the nearest one; null outside all of them.
const Allocation* find(const void* p);

void mark_initialised(const void* p, size_t bytes);
void mark_uninitialised(const void* p, size_t bytes);
bool is_initialised(const void* p, size_t bytes);
// Copies the initialised bits with the bytes: copying uninitialised memory is no fault.
void copy_bytes(void* to, const void* from, size_t bytes);
// Fills with the poison pattern (a NaN in every float type, a large negative integer) and marks uninitialised.
void poison(void* p, size_t bytes);

size_t bytes_in_use(int device);

}  // namespace sim
