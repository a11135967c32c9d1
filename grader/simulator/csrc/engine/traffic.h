// Counts of what a kernel asks of memory: requests of warps, bytes, 32-byte sectors, bank conflicts.  No
// times.
#pragma once
#include <cstddef>
#include <string>

#include "access.h"

namespace sim {

// Off at first: counting takes every access the slow way.
void set_traffic(bool counted);
bool traffic_is_counted();
// One access of the running thread.
void count_traffic(const Allocation& a, const void* p, size_t bytes, Access access, const void* pc);
// A block has ended: its lanes' accesses are put together to requests of warps.
void close_traffic(uint32_t block);
// Bytes of one allocation that a launch has read or written, each counted once.
void count_unique(const Allocation& a, const std::string& argument, bool write, size_t bytes);
std::string take_traffic();  // JSON object; clears

}  // namespace sim
