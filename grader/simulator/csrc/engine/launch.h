// A kernel launch: what was asked for, and running it block by block.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stream.h"

namespace sim {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

// A kernel parameter as reports name it.  `address` is null for anything that is neither pointer nor accessor.
struct Argument {
  const char* name;
  const void* address;
  uint32_t element_bytes;
};

struct Launch {
  const char* kernel;
  int line;         // of the launch
  Dim3 grid, block;
  size_t dynamic_shared_bytes;
  Stream* stream;
  Stream* current;  // PyTorch's current stream when it was launched
  int device;       // current device when it was launched
  std::vector<Argument> arguments;
  std::function<void()> thread;  // one thread's whole run, on its own copy of the parameters
};

// Checks the configuration as CUDA does, logs the launch and submits it to its stream.
void launch(Launch launch);
// Runs every block now, on this OS thread.
void run_grid(const Launch& launch);

void set_kernels_enabled(bool enabled);
enum class Order { kAscending, kDescending, kRandom };
void set_order(Order order, uint64_t seed);

}  // namespace sim
