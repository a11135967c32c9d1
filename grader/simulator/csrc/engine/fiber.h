// Stacks for CUDA threads that wait.  A fiber never moves between OS threads.
#pragma once
#include <cstddef>

namespace sim {

struct Fiber {
  char* stack = nullptr;  // lowest usable address, above the guard page
  size_t bytes = 0;
  char* top = nullptr;  // where its first frame begins
};

constexpr size_t kStackBytes = 152 * 1024;

Fiber* take_fiber();
// Drops whatever it was doing.
void give_fiber(Fiber* fiber);
size_t fibers_made();

}  // namespace sim

// Saves the callee-saved registers and the stack pointer, and goes on where `to` was saved.
extern "C" void sim_switch(void** from, void* to);
// Saves the same, and calls `entry`, which never returns, on a stack whose first frame begins below `top`.
extern "C" void sim_start(void** from, void* top, void (*entry)());
