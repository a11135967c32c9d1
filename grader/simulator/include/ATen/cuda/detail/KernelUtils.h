// The grid-stride loop.
#pragma once
#include <c10/util/Exception.h>

#include <limits>

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                     \
  int64_t _i_n_d_e_x = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = static_cast<index_type>(_i_n_d_e_x); _i_n_d_e_x < (n);        \
       _i_n_d_e_x += static_cast<int64_t>(blockDim.x) * gridDim.x, i = static_cast<index_type>(_i_n_d_e_x))

#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda::detail {

constexpr int CUDA_NUM_THREADS = 1024;

inline int GET_BLOCKS(const int64_t count, const int64_t threads = CUDA_NUM_THREADS) {
  TORCH_INTERNAL_ASSERT(count > 0, "CUDA kernel launch blocks must be positive, but got N=", count);
  const int64_t blocks = (count - 1) / threads + 1;
  TORCH_INTERNAL_ASSERT(blocks <= std::numeric_limits<int>::max(),
                        "Can't schedule too many blocks on CUDA device");
  return static_cast<int>(blocks);
}

}  // namespace at::cuda::detail
