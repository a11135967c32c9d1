// Asserts in kernels.
#pragma once
#include <assert.h>

#define CUDA_KERNEL_ASSERT2(condition) assert(condition)
