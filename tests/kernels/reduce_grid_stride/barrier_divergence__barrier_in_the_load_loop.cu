// Kernel: sums of a few blocks, each striding over the whole input; template for the block size.
// Fault: threads go round the loop unequally often, so some wait inside and some behind it.
// On a GPU: compute-sanitizer synccheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

template <int Threads>
__global__ void strided_sums(const float* in, float* out, int n) {
    __shared__ float part[Threads];
    const int tid = threadIdx.x;
    float sum = 0.f;
    for (int i = blockIdx.x * Threads + tid; i < n; i += gridDim.x * Threads) {
        sum += in[i];
        part[tid] = sum;
        __syncthreads();
    }
    part[tid] = sum;
    __syncthreads();
    if (Threads >= 256) {
        if (tid < 128) part[tid] += part[tid + 128];
        __syncthreads();
    }
    if (Threads >= 128) {
        if (tid < 64) part[tid] += part[tid + 64];
        __syncthreads();
    }
    if (tid < 32) {
        float last = part[tid] + part[tid + 32];
        for (int half = 16; half > 0; half /= 2) last += __shfl_xor_sync(0xffffffffu, last, half);
        if (tid == 0) out[blockIdx.x] = last;
    }
}

torch::Tensor run(torch::Tensor x) {
    auto out = torch::empty({3}, x.options());
    strided_sums<256><<<3, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                       static_cast<int>(x.numel()));
    return out.sum();
}
