// Kernel: one sum in one launch; the block that finishes last adds what all have left.
// Fault: the other threads read the flag before thread 0 has set it.
// On a GPU: compute-sanitizer racecheck or wrong values
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__device__ unsigned int finished = 0;

__global__ void total(const float* in, float* partial, float* out, int n) {
    __shared__ float part[128];
    __shared__ bool last;
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 128 + tid;
    part[tid] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0) {
        partial[blockIdx.x] = part[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    if (!last) return;
    __threadfence();
    float sum = 0.f;
    for (int b = tid; b < gridDim.x; b += 128) sum += partial[b];
    part[tid] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0) *out = part[0];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int blocks = (n + 127) / 128;
    auto partial = torch::empty({blocks}, x.options());
    auto out = torch::empty({1}, x.options());
    total<<<blocks, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), partial.data_ptr<float>(),
                                                                out.data_ptr<float>(), n);
    return out;
}
