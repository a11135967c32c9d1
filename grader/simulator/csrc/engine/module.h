// Where a loaded library lies in memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sim {

struct ModuleRange {
  uintptr_t begin = 0;
  size_t bytes = 0;
};

// The library that holds `address`; remembered, because every launch asks.
ModuleRange module_of(const void* address);

}  // namespace sim
