// Kernel: sum of each block of 128 with cooperative groups: tiles of 16 reduce, then the block.
// Fault: rank 0 of the block is not rank 0 of each tile.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void block_sums(const float* in, float* out, int n) {
    __shared__ float sums[8];
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    const int i = blockIdx.x * 128 + block.thread_rank();
    const float sum = cg::reduce(tile, i < n ? in[i] : 0.f, cg::plus<float>());
    if (block.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        float total = 0.f;
        for (int t = 0; t < 8; ++t) total += sums[t];
        out[blockIdx.x] = total;
    }
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int blocks = (n + 127) / 128;
    auto out = torch::empty({blocks}, x.options());
    block_sums<<<blocks, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
