// Kernel: sum of each block of 256; pairs at growing distance, the first threads busy.
// Fault: the first pairs are added before their right halves are there.
// On a GPU: compute-sanitizer racecheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void block_sums(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 256 + tid;
    part[tid] = i < n ? in[i] : 0.f;
    for (int step = 1; step < 256; step *= 2) {
        const int left = 2 * step * tid;
        if (left < 256) part[left] += part[left + step];
        __syncthreads();
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
