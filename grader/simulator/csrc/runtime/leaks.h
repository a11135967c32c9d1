// Memory that the learner took behind PyTorch's allocator and kept.
#pragma once

namespace sim {

// Reports every live allocation of cudaMalloc and cudaMallocAsync, each one once.
void report_leaks();

}  // namespace sim
