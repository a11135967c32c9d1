// Device memory: one reserved address range, so that one compare tells a device address from a host one.
// Every allocation stands alone between red zones and is never reused while anything could still name it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shadow.h"

namespace sim {

struct Stream;

constexpr int kDevices = 2;
constexpr int kOnChip = kDevices;             // pseudo device whose range holds the blocks' shared memory
constexpr size_t kAlignment = 512;            // what PyTorch's caching allocator gives
constexpr size_t kDeviceBytes = 16ull << 30;  // what a device claims to have
constexpr int kGranuleShift = 16;  // a granule of the range belongs to one allocation and its red zones

enum class Origin : uint8_t { kTorch, kCudaMalloc, kCudaMallocAsync, kSymbol, kShared };

enum Touched : uint8_t { kTouchedRead = 1, kTouchedWrite = 2 };

struct Allocation {
  // What the hooks read comes first.  `limit` is `bytes` while the allocation lives and 0 afterwards.
  char* base = nullptr;
  size_t limit = 0;
  Shadow shadow;                              // of the running grid: who accessed what
  std::unique_ptr<uint64_t[]> initialised;    // one bit a byte
  std::unique_ptr<uint64_t[]> read, written;  // bits of the bytes that the running grid has touched
  bool all_initialised = false;
  uint8_t touched = 0;  // by the running grid

  uint64_t id = 0;
  size_t bytes = 0;
  int device = 0;
  Origin origin = Origin::kTorch;
  Stream* stream = nullptr;  // the stream that was current when it was allocated
  bool freed = false;
  std::string freed_by;  // for use-after-free reports

  std::string name;            // of a symbol or a shared variable
  uint32_t element_bytes = 0;  // of the same
  bool resident = true;        // false when freed so long ago that its pages were given back
  char* region = nullptr;
  size_t region_bytes = 0;  // with the red zones
};

// Returns null when `bytes` is 0 or the device is full.  Fresh memory is poisoned and uninitialised.
void* allocate(int device, size_t bytes, Origin origin, Stream* stream);
// Frees now.  The stream-ordered free of PyTorch's allocator is a task that calls this (stream.h).
// Reports a second free, and a pointer that no allocation starts at.
void release(void* pointer, const std::string& by);

// Hidden: the hooks read them at every access.
extern __attribute__((visibility("hidden"))) char* arena_begin;
extern __attribute__((visibility("hidden"))) char* arena_end;
inline bool owns(const void* p) { return p >= arena_begin && p < arena_end; }

// The allocation that holds `p` or, in a red zone, the nearest one; null outside all of them.
const Allocation* find(const void* p);
Allocation* find_mutable(const void* p);
// The live allocations of a device in the order of their making, shared memory left out.
std::vector<const Allocation*> live_allocations(int device);

void mark_initialised(const void* p, size_t bytes);
void mark_uninitialised(const void* p, size_t bytes);
bool is_initialised(const void* p, size_t bytes);
// Copies the initialised bits with the bytes: copying uninitialised memory is no fault.
// Host memory counts as initialised.  The ranges may overlap.
void copy_bytes(void* to, const void* from, size_t bytes);
// Fills with the poison pattern (a NaN in every float type, a large negative integer) and marks
// uninitialised.
void poison(void* p, size_t bytes);

size_t bytes_in_use(int device);
// The device memory behind a `__device__` or `__constant__` variable: its own address.
void* symbol_address(const void* symbol);
// Names a symbol or a shared variable for reports.
void name_allocation(void* pointer, const char* name, uint32_t element_bytes);

// Lets an access in a red zone go on: its pages are filled with poison until close_red_zones().
void open_red_zone(Allocation& allocation, const char* p, size_t bytes);
void close_red_zones();

}  // namespace sim
