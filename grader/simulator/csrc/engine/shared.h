// A block's shared memory: one allocation in the on-chip range for each variable, made at its first use.
#pragma once
#include <vector>

#include "../../include/sim/slot.h"
#include "memory.h"

namespace sim {

struct Launch;

class SharedMemory {
 public:
  explicit SharedMemory(const Launch& launch) : launch_(launch) {}
  ~SharedMemory();
  // Poisons every variable and forgets who accessed it: the next block begins.
  void reset(uint32_t now);
  void* variable(const SharedSlot& slot, size_t bytes, uint32_t element_bytes);
  void* dynamic(const char* name, uint32_t element_bytes);
  // Whether an array of so many elements may be one of the block's variables, or a row of one.
  bool may_hold_array(size_t elements) const;

 private:
  struct Entry {
    const SharedSlot* slot;
    void* base;
    size_t elements;
  };
  const Launch& launch_;
  std::vector<Entry> entries_;
  void* dynamic_ = nullptr;
  size_t static_bytes_ = 0;
};

}  // namespace sim
