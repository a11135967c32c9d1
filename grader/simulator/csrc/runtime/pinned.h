// Page-locked host memory: a copy from it reads it when the copy runs.
#pragma once
#include <cstddef>

namespace sim {

void* allocate_pinned(size_t bytes);  // null when the host has no memory
void free_pinned(void* pointer);
// The caller's own memory becomes page-locked, and pageable again.
void register_pinned(void* pointer, size_t bytes);
bool unregister_pinned(void* pointer);  // false where it is not registered
bool is_pinned(const void* pointer);

}  // namespace sim
