// What runs on this OS thread: nothing of a device, or one CUDA thread of one block of one grid.
#pragma once
#include <cstddef>
#include <cstdint>

#include "error.h"
#include "report.h"

namespace sim {

class Block;
class Grid;
struct Fiber;

struct Running {
  uintptr_t stack = 0;     // of the fiber
  size_t stack_bytes = 0;  // 0 on the host
  bool on_device = false;
  bool quick = false;  // on the device, and no access is counted
  Grid* grid = nullptr;
  Block* block = nullptr;
  Fiber* fiber = nullptr;
  uint32_t thread = 0;              // linear index in the block
  uint32_t spins = 0;               // atomic and volatile accesses of this thread since it last gave way
  const void* last_spin = nullptr;  // where
  // What the race hooks need of the running thread; Block::renew() keeps them up to date.
  uint64_t me = 0;           // a record of this thread, now
  uint32_t since = 0;        // earlier records may be another block's
  uint32_t floor_block = 0;  // records from `since` up to here are ordered by a barrier
  uint32_t floor_warp = 0;   // and, of the thread's warp, up to here
  bool suspects = false;     // there are writes whose values must be compared before memory changes again
  bool handed = false;       // the thread has just raised a flag: others may run before it goes on
  bool fenced = false;       // some thread of the grid has executed a fence
  uintptr_t code = 0;        // where places in the module's code count from
};

#define SIM_THREAD_LOCAL extern __thread __attribute__((tls_model("initial-exec")))
SIM_THREAD_LOCAL __attribute__((visibility("hidden"))) Running running;

// A report with kernel, launch, block, thread, stream and device filled in.
Report here(const char* kind, const void* pc);

// Leaves the CUDA thread for ever and ends its grid with `error`.  Only on the device.
[[noreturn]] void abandon(Error error, const std::string& cause);

inline const void* before(const void* return_address) { return static_cast<const char*>(return_address) - 1; }

}  // namespace sim
