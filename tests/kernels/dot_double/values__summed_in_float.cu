// Kernel: dot product in double; warps by shuffles, blocks by atomics.
// Fault: each thread sums in single precision.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void dot(const double* a, const double* b, double* out, int n) {
    __shared__ double warps[4];
    float sum = 0.f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) sum += a[i] * b[i];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, warps[0] + warps[1] + warps[2] + warps[3]);
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
    auto out = torch::zeros({1}, a.options());
    dot<<<5, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(a.data_ptr<double>(), b.data_ptr<double>(),
                                                         out.data_ptr<double>(), static_cast<int>(a.numel()));
    return out;
}
