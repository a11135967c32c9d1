// Kernel: sums of tiles handed from block to block; value and flag are two words.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void running(const float* in, float* out, float* values, int* flags, int n) {
    __shared__ float part[64];
    const int tid = threadIdx.x, tile = blockIdx.x;
    const int i = tile * 64 + tid;
    part[tid] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0) {
        float before = 0.f;
        if (tile > 0) {
            while (atomicAdd(&flags[tile - 1], 0) == 0) {
            }
            __threadfence();  // no read of the value before the flag
            before = values[tile - 1];
        }
        values[tile] = before + part[0];
        __threadfence();  // the value before the flag
        atomicExch(&flags[tile], 1);
        out[tile] = before + part[0];
    }
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int tiles = (n + 63) / 64;
    auto out = torch::empty({tiles}, x.options());
    auto values = torch::empty({tiles}, x.options());
    auto flags = torch::zeros({tiles}, x.options().dtype(torch::kInt));
    running<<<tiles, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                values.data_ptr<float>(), flags.data_ptr<int>(), n);
    return out;
}
