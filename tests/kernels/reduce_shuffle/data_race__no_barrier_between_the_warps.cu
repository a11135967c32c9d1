// Kernel: sum of each block of 256; shuffles in a warp, one shared slot a warp.
// Fault: warp 0 reads sums that other warps have perhaps not written.
// On a GPU: compute-sanitizer racecheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void block_sums(const float* in, float* out, int n) {
    __shared__ float warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = i < n ? in[i] : 0.f;
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (lane == 0) warps[warp] = sum;
    if (warp == 0) {
        sum = lane < 8 ? warps[lane] : 0.f;
        for (int half = 4; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int blocks = (n + 255) / 256;
    auto out = torch::empty({blocks}, x.options());
    block_sums<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
