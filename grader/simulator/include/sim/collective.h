// Barriers and warp operations of the running thread, as the runtime offers them.
#pragma once
#include <stdint.h>

#include "warp_kind.h"

namespace sim {

// What CUDA's __syncthreads, __syncthreads_count, _and and _or return.
int block_barrier(BarrierKind kind, int predicate, int line);
uint64_t warp_collective(WarpKind kind, uint32_t mask, uint64_t value, int argument, int width, int line);
uint32_t active_mask(int line);
bool warp_agreed();  // whether the last match_all of this thread found all values equal
void thread_fence(FenceScope scope);
uint32_t lane_id();
[[noreturn]] void trap();
void pause_thread();  // what a spin-wait calls: others may run

enum class Space { kOther, kLocal, kShared, kGlobal };
Space space_of(const void* p);

}  // namespace sim
