// Kernel: sum of each span of 512; two elements added while loading.
// Fault: the first index is tested, the second is not.
// On a GPU: compute-sanitizer memcheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void block_sums(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 512 + tid;
    part[tid] = i < n ? in[i] + in[i + 256] : 0.f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = part[0];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int blocks = (n + 512 - 1) / 512;
    auto out = torch::empty({blocks}, x.options());
    block_sums<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
