// A kernel launch: what was asked for, and running it block by block.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../include/sim/argument.h"
#include "stream.h"

namespace sim {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

// One thread's whole run.  `run` copies the closure first: each thread has its own parameters.
struct ThreadBody {
  void (*run)(const void* closure);
  std::shared_ptr<const void> closure;
  size_t closure_bytes;
};

struct Launch {
  const char* kernel;
  int line;              // of the launch
  const void* function;  // entry of the kernel's host stub, as cudaFuncSetAttribute names it
  Dim3 grid, block;
  size_t dynamic_shared_bytes;
  Stream* stream;
  Stream* current;  // PyTorch's current stream when it was launched
  int device;       // current device when it was launched
  std::vector<Argument> arguments;
  ThreadBody body;
  int most_threads = 0;  // of a block, as __launch_bounds__ says; 0: no bound
};

// Checks the configuration as CUDA does, logs the launch and submits it to its stream.
void launch(Launch launch);
// Runs every block now, on this OS thread.
void run_grid(const Launch& launch);

void set_kernels_enabled(bool enabled);
bool kernels_enabled();
enum class Order { kAscending, kDescending, kRandom };
void set_order(Order order, uint64_t seed);
// Thread CPU seconds that one grid may take before it is abandoned with a time-out.
void set_grid_seconds(double seconds);

constexpr int kThreadsPerBlock = 1024;
constexpr int kSharedBytes = 48 * 1024;
constexpr int kSharedBytesOptIn = 227 * 1024;
// Opting in to more than 48 KB of dynamic shared memory: cudaFuncSetAttribute.  False when CUDA would refuse.
bool set_dynamic_shared_limit(const void* function, int bytes);
int dynamic_shared_limit(const void* function);
// Whether a block may have both its variables and its dynamic shared memory: beyond 48 KB only who opted in.
bool shared_memory_fits(const void* function, size_t static_bytes, size_t dynamic_bytes);

}  // namespace sim
