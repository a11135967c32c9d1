// Kernel: sum of each block of 256; the last warp folds without block barriers.
// Fault: a slot is rewritten while another lane still reads it.
// On a GPU: may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void block_sums(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 256 + tid;
    part[tid] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int half = 128; half > 32; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid < 32) {
        float sum = part[tid] + part[tid + 32];
        for (int half = 16; half > 0; half /= 2) {
            part[tid] = sum;
            __syncwarp();
            sum += part[tid + half];
        }
        part[tid] = sum;
    }
    if (tid == 0) out[blockIdx.x] = part[0];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int blocks = (n + 256 - 1) / 256;
    auto out = torch::empty({blocks}, x.options());
    block_sums<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
