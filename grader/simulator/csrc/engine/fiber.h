// Stacks for CUDA threads that wait.  A fiber never moves between OS threads.
#pragma once
#include <cstddef>

namespace sim {

struct Fiber {
  void* saved = nullptr;  // stack pointer while it does not run
  char* stack = nullptr;  // lowest usable address, above the guard page
  size_t bytes = 0;
  char* top = nullptr;  // where its first frame begins
};

constexpr size_t kStackBytes = 152 * 1024;

// A fiber that will call `entry` when it is switched to for the first time; `entry` never returns.
Fiber* take_fiber(void (*entry)());
// Drops whatever it was doing.
void give_fiber(Fiber* fiber);
size_t fibers_made();

}  // namespace sim

// Saves the callee-saved registers and the stack pointer, and goes on where `to` was saved.
extern "C" void sim_switch(void** from, void* to);
