// What the hooks and the block engine need of device memory beyond memory.h.
#pragma once
#include "memory.h"

namespace sim {

// One entry a granule: the allocation whose data or red zone lies there.
extern __attribute__((visibility("hidden"))) Allocation** granules;

// `allocate` without the device's capacity, and with room for zero bytes.
void* allocate_region(int device, size_t bytes, Origin origin, Stream* stream);

}  // namespace sim
