// threadIdx and its kin as the learner's unit sees them: constants that change when another thread is
// switched to.
#pragma once
#include "launch.h"
#include "running.h"

namespace sim {

SIM_THREAD_LOCAL Dim3 thread_idx __asm__("threadIdx");
SIM_THREAD_LOCAL Dim3 block_idx __asm__("blockIdx");
SIM_THREAD_LOCAL Dim3 block_dim __asm__("blockDim");
SIM_THREAD_LOCAL Dim3 grid_dim __asm__("gridDim");

}  // namespace sim
