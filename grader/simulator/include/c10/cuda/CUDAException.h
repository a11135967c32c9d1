// PyTorch's checks of CUDA errors.
#pragma once
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include "../../sim/runtime_api.h"
#include "CUDAMacros.h"

#define C10_CUDA_CHECK(EXPR)                                                                   \
  do {                                                                                         \
    const cudaError_t sim_error_ = EXPR;                                                       \
    ::sim::host::throw_cuda_error(static_cast<int>(sim_error_), __func__, __FILE__, __LINE__); \
  } while (0)

#define C10_CUDA_CHECK_WARN(EXPR)                                   \
  do {                                                              \
    const cudaError_t sim_error_ = EXPR;                            \
    if (C10_UNLIKELY(sim_error_ != cudaSuccess)) {                  \
      (void)cudaGetLastError();                                     \
      TORCH_WARN("CUDA warning: ", cudaGetErrorString(sim_error_)); \
    }                                                               \
  } while (0)

#define C10_CUDA_ERROR_HANDLED(EXPR) EXPR
#define C10_CUDA_IGNORE_ERROR(EXPR)                \
  do {                                             \
    if ((EXPR) != cudaSuccess) cudaGetLastError(); \
  } while (0)
#define C10_CUDA_CLEAR_ERROR() (void)cudaGetLastError()
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
