// Kernel: one sum; every block adds its own with an atomic.
// Fault: two blocks read the same old sum and one addition is lost.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void total(const float* in, float* out, int n) {
    __shared__ float part[128];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 128 + tid;
    part[tid] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half) part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0) *out += part[0];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::zeros({1}, x.options());
    total<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
